import { inCommonUnit, isSynonym, keyWords, type Leaf, recordOf } from './facts.ts';
import type { Clause, Occurrence, WordAt } from './occurrence.ts';
import { isContrary, roleScore } from './roles.ts';
import { stem } from './tokens.ts';
import { GENERIC_KEYS, ID_ENDINGS, PRINCIPALS, ROLES, SELF_NAMING } from './words/field-words.ts';
import { COMPUTING } from './words/lexicon.ts';

/** A value of a clause and the leaf it rests on. */
export interface FieldBinding {
  readonly occurrence: Occurrence;
  readonly leaf: Leaf;
}

/** The reason that a clause does not bind. */
export interface Unbound {
  readonly contradicted: boolean;
  readonly reason: string;
}

export const unbound = (reason: string, contradicted = false): Unbound => ({ contradicted, reason });

export const isPrefix = (a: readonly string[], b: readonly string[]): boolean =>
  a.length <= b.length && a.every((one, place) => b[place] === one);

/**
 * Binds every value of a clause to a field of one record. The clause must name the field, or the record has no rival: no
 * other field of the same kind. A rival that the clause names better contradicts the clause.
 */
export function bindIn(
  clause: Clause,
  occurrences: readonly Occurrence[],
  record: readonly string[],
  leaves: readonly Leaf[],
): readonly FieldBinding[] | Unbound {
  const visible = leaves.filter((leaf) => isPrefix(leaf.records, record));
  const fits = new Map(
    occurrences.map((occurrence) => [occurrence, occurrence.equal.filter((leaf) => isPrefix(leaf.records, record))]),
  );
  const bindings: FieldBinding[] = [];
  for (const [occurrence, candidates] of fits) {
    const claimed = [...fits].flatMap(([other, own]) => (other !== occurrence && own.length === 1 ? own : []));
    const found = bindOne(clause, occurrence, candidates, visible, claimed);
    if ('reason' in found) return found;
    bindings.push({ occurrence, leaf: found });
  }
  return isOneMoment(bindings) ? bindings : unbound('the day and the time belong to different fields');
}

/** "at 00:02 on 10 February": a day and a time that stand alone belong to one field, if the field of the time has a day. */
function isOneMoment(bindings: readonly FieldBinding[]): boolean {
  const ofType = (type: string): readonly FieldBinding[] =>
    bindings.filter(({ occurrence }) => occurrence.stated.type === type);
  const [[day, ...days], [time, ...times]] = [ofType('day'), ofType('time')];
  if (day === undefined || time === undefined || days.length + times.length > 0) return true;
  return time.leaf.moment?.day == null || time.leaf === day.leaf;
}

/** A rival that shares at least one exact word of its own key with the clause is named. */
const STRONG = 3;

function bindOne(
  clause: Clause,
  occurrence: Occurrence,
  held: readonly Leaf[],
  visible: readonly Leaf[],
  claimed: readonly Leaf[],
): Leaf | Unbound {
  const [first] = held;
  if (first === undefined) return unbound('the record does not have the value');
  if (occurrence.stated.type === 'flag') return first;
  const candidates = held.filter(
    (leaf) => !isContrary(clause, occurrence, leaf) && !isCount(clause, occurrence, leaf, visible),
  );
  if (candidates.length === 0 || visible.some((leaf) => isOtherDirection(clause, occurrence, first, leaf)))
    return unbound(`the words around the value do not fit ${first.pointer}`);
  const distance = (leaf: Leaf): number => distanceTo(clause, occurrence, leaf);
  const best = candidates.reduce((a, b) => {
    const [x, y] = [nameScore(clause, occurrence, a), nameScore(clause, occurrence, b)];
    return y > x || (y === x && distance(b) < distance(a)) ? b : a;
  });
  const score = nameScore(clause, occurrence, best);
  const text = textOf(occurrence);
  const outer = visible.find((leaf) => isOuter(clause, leaf, best) && !held.includes(leaf));
  if (outer !== undefined) return unbound(`${text} is not the value of ${outer.pointer}`);
  const rivals = visible.filter(
    (leaf) =>
      !held.includes(leaf) &&
      isRival(leaf, best, occurrence) &&
      !isContrary(clause, occurrence, leaf) &&
      !isTwin(leaf, best),
  );
  const twin = visible.find((leaf) => isTwin(leaf, best) && isTwinNamed(clause, occurrence, leaf, best));
  if (twin !== undefined) return unbound(`${text} is not the value of ${twin.pointer}`);
  const isFree = (leaf: Leaf): boolean => leaf.kind === 'text' || !claimed.includes(leaf);
  const scores = rivals.map((leaf) => ({ leaf, score: nameScore(clause, occurrence, leaf) }));
  const rival = scores.reduce<{ leaf: Leaf; score: number } | null>(
    (a, b) => (a === null || b.score > a.score ? b : a),
    null,
  );
  if (rival !== null && rival.score >= 2 && rival.score > score)
    return unbound(
      `${text} is the value of ${best.pointer}, and the sentence names ${rival.leaf.pointer}`,
      rival.score >= STRONG &&
        isPlain(clause, occurrence) &&
        isLike(rival.leaf, best) &&
        isNamedBefore(clause, occurrence, rival.leaf),
    );
  if (
    rival !== null &&
    isFree(rival.leaf) &&
    rival.score === score &&
    score >= 2 &&
    distance(best) >= distance(rival.leaf)
  )
    return unbound(`${text} could be ${best.pointer} or ${rival.leaf.pointer}`);
  if (score >= 2 || (score > 0 && (rival === null || rival.score < score))) return best;
  if (isSelfNaming(clause, occurrence, best, visible)) return best;
  const isInner = (leaf: Leaf): boolean => leaf.records.length >= best.records.length;
  const isBound = occurrence.qualifier === 'over' || occurrence.qualifier === 'under';
  const isUnrivalled =
    !isBound && !rivals.some((leaf) => isFree(leaf) && isInner(leaf)) && (rival === null || rival.score < 2);
  if (best.kind !== 'text' && best.kind !== 'boolean' && isUnrivalled) return best;
  const before = clause.tokens[occurrence.from - 1];
  const isNumbered = ID_ENDINGS.has(keyWords(best.key).at(-1) ?? '') && before?.kind === 'word' && before.text !== 'of';
  if (best.kind === 'number' && isNumbered && candidates.length === 1) return best;
  return unbound(`the sentence does not name the field of ${text}`);
}

/** "Your name": the name of the record itself, unless the clause names the inner object that has one too. */
const isOuter = ({ naming }: Clause, leaf: Leaf, bound: Leaf): boolean =>
  leaf.key === bound.key &&
  leaf.ref === bound.ref &&
  leaf.path.size < bound.path.size &&
  naming.some(({ stem: word }) => bound.own.has(word)) &&
  !naming.some(({ stem: word }) => [...bound.path].some((one) => !leaf.path.has(one) && isSynonym(one, word)));

const INWARD = /^(?:in|incoming|inbound|credit|received)$/iu;
const OUTWARD = /^(?:out|outgoing|outbound|debit|sent)$/iu;

/** "the transfer from Ana" for a record with `direction: "out"`. */
function isOtherDirection({ tokens }: Clause, { from }: Occurrence, named: Leaf, leaf: Leaf): boolean {
  if (named.shape !== 'name' || recordOf(named) !== recordOf(leaf) || !/direction|type/iu.test(leaf.key)) return false;
  const before = tokens[from - 1]?.text;
  return (
    (before === 'from' && OUTWARD.test(String(leaf.value))) || (before === 'to' && INWARD.test(String(leaf.value)))
  );
}

/**
 * "two boxes" is a count, and not the box with the number 2. "two books" is one too where the books are the elements of a
 * list, and not the renewals of one of them.
 */
function isCount({ naming }: Clause, { stated, to }: Occurrence, leaf: Leaf, visible: readonly Leaf[]): boolean {
  if (stated.type !== 'number') return false;
  if (stated.isWord && ID_ENDINGS.has(keyWords(leaf.key).at(-1) ?? '')) return true;
  const noun = naming.find(({ at }) => at === to)?.stem;
  if (noun === undefined || stated.currency !== null || stated.unit !== null || leaf.records.length < 2) return false;
  const isNamed = (words: Iterable<string>): boolean => [...words].some((word) => isSynonym(word, noun));
  const isElement = (other: Leaf): boolean =>
    other.kind === 'text' && recordOf(other) === recordOf(leaf) && isNamed(other.own);
  return !isNamed(leaf.own) && (isNamed(leaf.path) || visible.some(isElement));
}

/** Fields contradict each other if their keys share a word and neither contains the other: `billing_city`, `shipping_city`. */
const isLike = (rival: Leaf, bound: Leaf): boolean =>
  [...rival.own].some((word) => bound.own.has(word)) && ![...rival.own].every((word) => bound.own.has(word));

/** Texts of one inner object describe one thing: the code and the city of an airport. */
const isTwin = (a: Leaf, b: Leaf): boolean => {
  const parent = ({ pointer }: Leaf): string => pointer.slice(0, pointer.lastIndexOf('/'));
  return (
    a.kind === 'text' &&
    b.kind === 'text' &&
    a.ref === b.ref &&
    parent(a) === parent(b) &&
    /\D$/u.test(parent(a)) &&
    parent(a) !== ''
  );
};

/**
 * "The city of your hotel is Marina", "your hotel is in Marina", "your hotel is Split": the clause means the other text of
 * the object, which the value is not.
 */
function isTwinNamed(clause: Clause, occurrence: Occurrence, twin: Leaf, bound: Leaf): boolean {
  if (twin.shape === 'id' || clause.occurrences.some(({ equal }) => equal.includes(twin))) return false;
  const own = keyWords(twin.key)
    .map(stem)
    .filter((word) => !bound.own.has(word) && !GENERIC_KEYS.has(word));
  const before = clause.tokens[occurrence.from - 1]?.text ?? '';
  return (
    clause.naming.some(({ stem: word }) => own.includes(word) || (isName(twin) && word === 'name')) ||
    (/^(?:in|at|from|to)$/u.test(before) && classOf(twin) === 'place' && classOf(bound) !== 'place') ||
    (/^(?:is|are|was)$/u.test(before) && isName(twin) && !isName(bound) && bound.shape === 'name') ||
    (occurrence.from <= 1 && isName(twin) && !isName(bound) && bound.shape === 'name')
  );
}

const isName = ({ own, key }: Leaf): boolean =>
  /name|title|^(?:first|last|full)$/iu.test(key) || own.has('titl') || own.has('name');

/** A clause that compares or computes, or states two values of a kind, does not contradict a field by naming another. */
const isPlain = (clause: Clause, occurrence: Occurrence): boolean =>
  !hasSameKind(clause, occurrence) && !clause.words.some(({ text }) => COMPUTING.has(text));

const textOf = ({ stated }: Occurrence): string => (stated.type === 'text' ? `"${stated.text}"` : `the ${stated.type}`);

/** Fields of one kind can be mistaken for each other: two amounts, two dates, two persons. */
function isRival(leaf: Leaf, bound: Leaf, { stated }: Occurrence): boolean {
  if (leaf.kind !== bound.kind) return false;
  if (leaf.kind === 'moment') return stated.type === 'time' ? leaf.moment?.minutes != null : leaf.moment?.day != null;
  if (leaf.kind !== 'number')
    return leaf.shape === bound.shape && (leaf.shape === 'id' || classOf(leaf) === classOf(bound));
  if (ID_ENDINGS.has(keyWords(leaf.key).at(-1) ?? '')) return false;
  const isMoney = ({ number }: Leaf): boolean => number?.currencies != null && number.currencies.length > 0;
  if (stated.type === 'number' && stated.currency !== null) return isMoney(leaf);
  if (stated.type === 'number' && stated.unit !== null) {
    const unit = leaf.number?.unit ?? null;
    return unit !== null && inCommonUnit(1n, stated.unit, 1n, unit) !== null;
  }
  return isMoney(leaf) === isMoney(bound);
}

const hasSameKind = (clause: Clause, occurrence: Occurrence): boolean =>
  clause.occurrences.some((other) => other !== occurrence && other.stated.type === occurrence.stated.type);

/**
 * How well the clause names the field: 3 for each word of its key, 2 for a synonym, 1 for a word of the keys above. Where
 * the clause states two values of one kind, only the words next to the value count.
 */
function nameScore(clause: Clause, occurrence: Occurrence, leaf: Leaf): number {
  const near = hasSameKind(clause, occurrence) ? wordsNear(clause, occurrence) : clause.naming;
  const stems = namingStems(
    clause,
    near.filter(({ at }) => at < occurrence.from || at >= occurrence.to),
  );
  const own = [...leaf.own].filter((one) => !PREPOSITIONS.has(one));
  const scores = own.map((word) => (stems.has(word) ? 3 : [...stems].some((one) => isSynonym(one, word)) ? 2 : 0));
  const full =
    scores.some((one) => one > 0) && scores.every((one, place) => one > 0 || GENERIC_KEYS.has(own[place] ?? ''))
      ? 1
      : 0;
  const path = [...leaf.path].filter((word) => !leaf.own.has(word) && [...stems].some((one) => isSynonym(one, word)));
  return (
    scores.reduce((sum: number, one) => sum + one, full) +
    Math.min(1, path.length) +
    roleScore(clause, occurrence, leaf)
  );
}

/** The stems of words, of compounds such as "check in", and of "comes to". */
function namingStems({ tokens }: Clause, words: readonly WordAt[]): Set<string> {
  const stems = new Set(words.map((word) => word.stem));
  for (const [place, { text, at }] of words.entries()) {
    const next = words[place + 1];
    if (next !== undefined && next.at - at <= 2) stems.add(stem(`${text}${next.text}`));
    if (tokens[at + 1]?.text === 'to' && /^(?:comes?|amounts?|came)$/u.test(text)) stems.add('total');
  }
  return stems;
}

/** Prepositions in keys count as roles, right before a value. */
const PREPOSITIONS: ReadonlySet<string> = new Set(['from', 'to', 'by', 'with', 'of', 'on', 'at', 'until', 'in']);

const LINKS = /^(?:and|or|plus|with|while|[,;(])$/u;

/** The words between the value before and the value after; a conjunction behind the value opens the next one. */
function wordsNear(clause: Clause, occurrence: Occurrence): readonly WordAt[] {
  const others = clause.occurrences.filter((other) => other !== occurrence);
  const from = Math.max(-1, ...others.filter(({ to }) => to <= occurrence.from).map(({ to }) => to - 1));
  const next = others.filter(({ from: start }) => start >= occurrence.to).map(({ from: start }) => start);
  const end = Math.min(clause.tokens.length, ...next);
  const link = clause.tokens.findIndex((token, at) => at >= occurrence.to && LINKS.test(token.text));
  const to = next.length > 0 && link >= 0 ? Math.min(end, link) : end;
  return clause.naming.filter(({ at }) => (at > from && at < occurrence.from) || (at >= occurrence.to && at < to));
}

const namesLeaf = (leaf: Leaf, word: string): boolean =>
  [...leaf.own].some((one) => !PREPOSITIONS.has(one) && isSynonym(one, word));

/** The number of tokens between a value and the nearest word that names the field; behind the value it counts double. */
function distanceTo(clause: Clause, occurrence: Occurrence, leaf: Leaf): number {
  const named = clause.naming.filter(
    ({ stem: word, at }) => (at < occurrence.from || at >= occurrence.to) && namesLeaf(leaf, word),
  );
  const distances = named.map(({ at }) => (at < occurrence.from ? occurrence.from - at : 2 * (at - occurrence.to + 1)));
  return Math.min(clause.tokens.length * 2, ...distances);
}

/** Whether a word before the value, or right behind it, names the field: only then the clause claims the value for it. */
const isNamedBefore = (clause: Clause, occurrence: Occurrence, leaf: Leaf): boolean =>
  clause.naming.some(
    ({ stem: word, at }) =>
      leaf.own.has(word) && (at < occurrence.from || (at >= occurrence.to && at < occurrence.to + 2)),
  );

/**
 * A text may stand without a word for its field: an identifier, a state, or a name that no other name of the record
 * rivals. A preposition that marks the role of another field needs that field.
 */
function isSelfNaming(clause: Clause, occurrence: Occurrence, leaf: Leaf, visible: readonly Leaf[]): boolean {
  const before = clause.tokens[occurrence.from - 1]?.text ?? '';
  const isRole = leaf.shape === 'id' ? before === 'by' : ROLES.has(before);
  if (isRole && visible.some((other) => other !== leaf && roleScore(clause, occurrence, other) > 0)) return false;
  if (namesOtherText(clause, occurrence, leaf, visible)) return false;
  if (occurrence.stated.type === 'link' || leaf.shape === 'id') return true;
  if (leaf.kind !== 'text' || leaf.shape === 'prose') return leaf.shape === 'prose';
  const others = visible.filter(({ shape, pointer }) => shape === leaf.shape && pointer !== leaf.pointer);
  if (others.some((other) => other.key === leaf.key && recordOf(other) === recordOf(leaf))) return false;
  if ([...leaf.own].some((word) => SELF_NAMING.has(word)) && classOf(leaf) !== 'person') return true;
  const isPrincipal = ({ own, records }: Leaf): boolean =>
    records.length === 1 && [...own].some((word) => PRINCIPALS.has(word) || (own.size === 1 && word === 'name'));
  const isSubject =
    occurrence.from <= 1 && isPrincipal(leaf) && !visible.some((one) => one !== leaf && isPrincipal(one));
  if (isSubject) return true;
  const inSame = others.filter(({ key, records }) => key !== leaf.key && records.length === leaf.records.length);
  const isTitle = ({ own }: Leaf): boolean => [...own].some((word) => SELF_NAMING.has(word));
  if (leaf.shape === 'name' && !isTitle(leaf) && leaf.records.length > 1 && inSame.some(isTitle)) return false;
  return leaf.shape === 'name'
    ? !inSame.some((other) => classOf(other) === classOf(leaf))
    : !inSame.some(({ own }) => [...own].some((word) => leaf.own.has(word)));
}

/** Whether the noun before a name belongs to another text field: in "order Apollo Hall" the value is no order. */
function namesOtherText(
  { tokens, occurrences }: Clause,
  { from }: Occurrence,
  leaf: Leaf,
  visible: readonly Leaf[],
): boolean {
  const noun = tokens.slice(0, from).findLast(({ text }) => !/^(?:is|was|are|:|an?|the|called|named)$/u.test(text));
  if (noun?.kind !== 'word' || leaf.shape === 'state') return false;
  const names = ({ own, path }: Leaf): boolean => own.has(noun.stem) || path.has(noun.stem);
  const isOther = (other: Leaf): boolean =>
    other.own.has(noun.stem) && other.own.size === 1 && other.kind === 'text' && other.key !== leaf.key;
  return (
    !names(leaf) && visible.some((other) => isOther(other) && !occurrences.some(({ equal }) => equal.includes(other)))
  );
}

const PLACES =
  /^(?:city|town|location|place|from|to|origin|destination|depot|hub|venue|address|pickup|dropoff|branch|region|country|airport|station|warehouse|site|office|room)$/u;
const PERSONS =
  /(?:er|or|ee|ant|ist|ian|by|ent|contact|lead|head|deputy|owner|author|host|guest|nurse|coach|spouse|party|counsel|attorney|landlord|holder|company|workshop|scribe|partner)$/u;

const THINGS = /^(?:titl|title|item|product|model|plan|project|event|course|subject|service|league|team|label)$/u;
/** A name of two or three capitalized words, with or without a title. */
const PERSON_NAME = /^(?:(?:Dr|Mrs?|Ms|Prof|Nurse)\.? )?\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){1,2}$/u;

/** Names of one class can be mistaken for each other: two persons, two places. */
function classOf({ key, own, value }: Leaf): string {
  const words = [...keyWords(key), ...own];
  if (words.some((word) => PLACES.test(word))) return 'place';
  const isThing = words.some((word) => THINGS.test(word));
  return !isThing && (words.some((word) => PERSONS.test(word)) || PERSON_NAME.test(String(value))) ? 'person' : key;
}
