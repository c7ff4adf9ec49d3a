import type { Clause, Occurrence, WordAt } from './clause.ts';
import { type FactIndex, isSynonym, keyWords, type Leaf, type ListNode } from './facts.ts';
import { COMPUTING, DATE_ROLES, GENERIC_KEYS, ID_ENDINGS, ROLES, SELF_NAMING } from './lexicon.ts';
import { stem } from './tokens.ts';

/** A value of a clause and the leaf it rests on. */
export interface Binding {
  readonly occurrence: Occurrence;
  readonly leaf: Leaf;
}

/** The bound values of a clause, the record they belong to (null for several), and the lists they enumerate. */
export interface BoundClause {
  readonly bindings: readonly Binding[];
  readonly record: readonly string[] | null;
  readonly lists: readonly ListNode[];
}

/** The reason that a clause does not bind. */
export interface Unbound {
  readonly contradicted: boolean;
  readonly reason: string;
}

const unbound = (reason: string, contradicted = false): Unbound => ({ contradicted, reason });

export const isPrefix = (a: readonly string[], b: readonly string[]): boolean =>
  a.length <= b.length && a.every((one, place) => b[place] === one);

const TRIES_MAX = 12;

/** Binds the values of a clause in one record, or as a list in several elements of one list. */
export function bindClause(
  clause: Clause,
  occurrences: readonly Occurrence[],
  cited: FactIndex,
  carried: readonly string[] | null,
): BoundClause | Unbound {
  if (occurrences.length === 0) return { bindings: [], record: null, lists: [] };
  const chains = new Map(occurrences.flatMap(({ equal }) => equal.map(({ records }) => [records.join('\n'), records])));
  const holds = (chain: readonly string[]): boolean =>
    occurrences.every(({ equal }) => equal.some(({ records }) => isPrefix(records, chain)));
  const isCarried = (one: readonly string[]): number => (carried !== null && isPrefix(carried, one) ? 0 : 1);
  const records = [...chains.values()]
    .filter(holds)
    .sort((a, b) => isCarried(a) - isCarried(b) || a.length - b.length)
    .slice(0, TRIES_MAX);
  let first: Unbound | null = null;
  for (const record of records) {
    const bound = bindRecord(clause, occurrences, record, cited, carried);
    if ('bindings' in bound) return bound;
    first ??= { ...bound, contradicted: bound.contradicted && records.length === 1 };
  }
  return first ?? bindList(clause, occurrences, cited) ?? conflated(clause, occurrences, cited);
}

function bindRecord(
  clause: Clause,
  occurrences: readonly Occurrence[],
  record: readonly string[],
  cited: FactIndex,
  carried: readonly string[] | null,
): BoundClause | Unbound {
  const bindings = bindIn(clause, occurrences, record, cited.leaves);
  if ('reason' in bindings) return bindings;
  const deepest = bindings.reduce<readonly string[]>((a, { leaf }) => (leaf.records.length > a.length ? leaf.records : a), []);
  if (carried !== null && !isPrefix(carried, deepest) && !isPrefix(deepest, carried) && !isNamedRecord(bindings, deepest))
    return unbound('the clauses rest on different records');
  if (!isIdentified(clause, bindings, deepest, cited, carried))
    return unbound('several records fit, and the sentence does not say which one');
  return { bindings, record: deepest, lists: [] };
}

const isNamedRecord = (bindings: readonly Binding[], record: readonly string[]): boolean =>
  bindings.filter(({ leaf }) => leaf.records.length === record.length && leaf.kind === 'text').length > 0 &&
  bindings.length > 1;

/** A record of a list is identified by two of its values, by an identifier, or by being the only one. */
function isIdentified(
  clause: Clause,
  bindings: readonly Binding[],
  record: readonly string[],
  { lists, leaves }: FactIndex,
  carried: readonly string[] | null,
): boolean {
  const element = record.at(-1) ?? '';
  const list = lists.find(({ elements }) => elements.includes(element));
  if (list === undefined || list.elements.length < 2 || carried?.includes(element) === true) return true;
  const inside = bindings.filter(({ leaf }) => leaf.records.at(-1) === element);
  if (inside.some(({ leaf }) => `${leaf.ref}${leaf.pointer}` === element)) return true; // a value of a list of plain values
  const keys = new Set(inside.map(({ leaf }) => leaf.pointer));
  if (keys.size > 1 || inside.some(({ occurrence, leaf }) => occurrence.stated.type === 'id' || leaf.shape === 'id'))
    return true;
  const isPlural = clause.naming.some(({ stem: word }) => list.own.has(word));
  return (
    isPlural &&
    list.complete &&
    inside.every(({ occurrence, leaf }) => {
      const column = leaves.filter(({ key, records }) => key === leaf.key && list.elements.includes(records.at(-1) ?? ''));
      return column.length === list.elements.length && column.every((one) => occurrence.equal.includes(one));
    })
  );
}

/**
 * Binds every value of a clause to a field of one record. The clause must name the field, or the record has no rival: no
 * other field of the same kind. A rival that the clause names better contradicts the clause.
 */
function bindIn(
  clause: Clause,
  occurrences: readonly Occurrence[],
  record: readonly string[],
  leaves: readonly Leaf[],
): readonly Binding[] | Unbound {
  const visible = leaves.filter((leaf) => isPrefix(leaf.records, record));
  const fits = new Map(
    occurrences.map((occurrence) => [occurrence, occurrence.equal.filter((leaf) => isPrefix(leaf.records, record))]),
  );
  const bindings: Binding[] = [];
  for (const [occurrence, candidates] of fits) {
    const claimed = [...fits].flatMap(([other, own]) => (other !== occurrence && own.length === 1 ? own : []));
    const found = bindOne(clause, occurrence, candidates, visible, claimed);
    if ('reason' in found) return found;
    bindings.push({ occurrence, leaf: found });
  }
  return isOneMoment(bindings) ? bindings : unbound('the day and the time belong to different fields');
}

/** "at 00:02 on 10 February": a day and a time that stand alone belong to one field, if the field of the time has a day. */
function isOneMoment(bindings: readonly Binding[]): boolean {
  const ofType = (type: string): readonly Binding[] => bindings.filter(({ occurrence }) => occurrence.stated.type === type);
  const [[day, ...days], [time, ...times]] = [ofType('day'), ofType('time')];
  if (day === undefined || time === undefined || days.length + times.length > 0) return true;
  return time.leaf.moment?.day == null || time.leaf === day.leaf;
}

/** A rival that shares at least one exact word of its own key with the clause is named. */
const STRONG = 3;

function bindOne(
  clause: Clause,
  occurrence: Occurrence,
  candidates: readonly Leaf[],
  visible: readonly Leaf[],
  claimed: readonly Leaf[],
): Leaf | Unbound {
  const [first] = candidates;
  if (first === undefined) return unbound('the record does not have the value');
  if (occurrence.stated.type === 'flag') return first;
  if (isContrary(clause, occurrence, first)) return unbound(`the preposition does not fit ${first.pointer}`);
  const distance = (leaf: Leaf): number => distanceTo(clause, occurrence, leaf);
  const best = candidates.reduce((a, b) => {
    const [x, y] = [nameScore(clause, occurrence, a), nameScore(clause, occurrence, b)];
    return y > x || (y === x && distance(b) < distance(a)) ? b : a;
  });
  const score = nameScore(clause, occurrence, best);
  const text = textOf(occurrence);
  const rivals = visible.filter((leaf) => !candidates.includes(leaf) && isRival(leaf, best, occurrence));
  const isFree = (leaf: Leaf): boolean => leaf.kind === 'text' || !claimed.includes(leaf);
  const scores = rivals.map((leaf) => ({ leaf, score: nameScore(clause, occurrence, leaf) }));
  const rival = scores.reduce<{ leaf: Leaf; score: number } | null>((a, b) => (a === null || b.score > a.score ? b : a), null);
  if (rival !== null && rival.score >= 2 && rival.score > score)
    return unbound(
      `${text} is the value of ${best.pointer}, and the sentence names ${rival.leaf.pointer}`,
      rival.score >= STRONG && isPlain(clause, occurrence) && isLike(rival.leaf, best) && isNamedBefore(clause, occurrence, rival.leaf),
    );
  if (rival !== null && isFree(rival.leaf) && rival.score === score && score >= 2 && distance(best) >= distance(rival.leaf))
    return unbound(`${text} could be ${best.pointer} or ${rival.leaf.pointer}`);
  if (score >= 2 || (score > 0 && (rival === null || rival.score < score))) return best;
  if (isSelfNaming(clause, occurrence, best, visible)) return best;
  if (best.kind !== 'text' && best.kind !== 'boolean' && !rivals.some(isFree)) return best;
  const isPlainValue = best.kind === 'number' && /^(?:value|amount|result|reading)$/u.test(best.key);
  if (isPlainValue && (rival === null || rival.score === 0)) return best;
  return unbound(`the sentence does not name the field of ${text}`);
}

/** Fields contradict each other if their keys share a word and neither contains the other: `billing_city`, `shipping_city`. */
const isLike = (rival: Leaf, bound: Leaf): boolean =>
  [...rival.own].some((word) => bound.own.has(word)) && ![...rival.own].every((word) => bound.own.has(word));

/** A clause that compares or computes, or states two values of a kind, does not contradict a field by naming another. */
const isPlain = (clause: Clause, occurrence: Occurrence): boolean =>
  !hasSameKind(clause, occurrence) && !clause.words.some(({ text }) => COMPUTING.has(text));

const textOf = ({ stated }: Occurrence): string => (stated.type === 'text' ? `"${stated.text}"` : `the ${stated.type}`);

/** Fields of one kind can be mistaken for each other: two amounts, two dates, two persons. */
function isRival(leaf: Leaf, bound: Leaf, { stated }: Occurrence): boolean {
  if (leaf.kind !== bound.kind) return false;
  if (leaf.kind === 'moment') return stated.type === 'time' ? leaf.moment?.minutes != null : leaf.moment?.day != null;
  if (leaf.kind !== 'number') return leaf.shape === bound.shape && (leaf.shape === 'id' || classOf(leaf) === classOf(bound));
  if (ID_ENDINGS.has(keyWords(leaf.key).at(-1) ?? '')) return false;
  const isMoney = (one: Leaf): boolean => one.number?.currencies != null;
  return isMoney(leaf) === isMoney(bound) || leaf.number?.unit === bound.number?.unit;
}

const hasSameKind = (clause: Clause, occurrence: Occurrence): boolean =>
  clause.occurrences.some((other) => other !== occurrence && other.stated.type === occurrence.stated.type);

/**
 * How well the clause names the field: 3 for each word of its key, 2 for a synonym, 1 for a word of the keys above. Where
 * the clause states two values of one kind, only the words next to the value count.
 */
function nameScore(clause: Clause, occurrence: Occurrence, leaf: Leaf): number {
  const near = hasSameKind(clause, occurrence) ? wordsNear(clause, occurrence) : clause.naming;
  const stems = namingStems(clause, near.filter(({ at }) => at < occurrence.from || at >= occurrence.to));
  if (occurrence.stated.type === 'number' && occurrence.stated.unit !== null) stems.add(stem(occurrence.stated.unit));
  const own = [...leaf.own, ...actorStems(leaf)].filter((one) => !PREPOSITIONS.has(one));
  const scores = own.map((word) => (stems.has(word) ? 3 : [...stems].some((one) => isSynonym(one, word)) ? 2 : 0));
  const full = scores.some((one) => one > 0) && scores.every((one, place) => one > 0 || GENERIC_KEYS.has(own[place] ?? '')) ? 1 : 0;
  const path = [...leaf.path].filter((word) => !leaf.own.has(word) && [...stems].some((one) => isSynonym(one, word)));
  return scores.reduce((sum: number, one) => sum + one, full) + Math.min(1, path.length) + roleScore(clause, occurrence, leaf);
}

/** The stems of words, of compounds such as "check in", and of "comes to" and "up to". */
function namingStems({ tokens }: Clause, words: readonly WordAt[]): Set<string> {
  const stems = new Set(words.map((word) => word.stem));
  for (const [place, { text, at }] of words.entries()) {
    const next = words[place + 1];
    if (next !== undefined && next.at - at <= 2) stems.add(stem(`${text}${next.text}`));
    if (tokens[at + 1]?.text === 'to' && /^(?:comes?|amounts?|came)$/u.test(text)) stems.add('total');
    if (tokens[at + 1]?.text === 'to' && text === 'up') stems.add('max');
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

/** "from Oslo to Rome": the preposition before a value names its role. */
function roleScore(clause: Clause, occurrence: Occurrence, leaf: Leaf): number {
  const before = clause.tokens[occurrence.from - 1];
  if (before?.kind !== 'word' || occurrence.stated.type === 'number') return 0;
  const role = (leaf.kind === 'moment' ? DATE_ROLES : ROLES).get(before.text);
  const hasRole = (word: string): boolean =>
    role?.has(word) === true || [...(role ?? [])].some((one) => one.length > 3 && word.startsWith(one));
  return role !== undefined && [...leaf.own].some(hasRole) ? 3 : 0;
}

/** "to 1 June" is no beginning and "from 1 June" is no end. */
function isContrary({ tokens }: Clause, { from, stated }: Occurrence, { full }: Leaf): boolean {
  const before = tokens[from - 1]?.text ?? '';
  const has = (words: string): boolean => words.split(' ').some((word) => full.has(word));
  if (stated.type === 'number' || stated.type === 'link') return /^(?:from|to)$/u.test(before) && has(before === 'to' ? 'previou old former' : 'new');
  if (/^(?:until|till|through|to)$/u.test(before)) return has('from start begin since old previou former') && !has('to end until');
  return /^(?:from|since)$/u.test(before) && has('to end until expir deadlin new') && !has('from start begin since');
}

/**
 * A text may stand without a word for its field: an identifier, a state, or a name that no other name of the record
 * rivals. A preposition that marks the role of another field needs that field.
 */
function isSelfNaming(clause: Clause, occurrence: Occurrence, leaf: Leaf, visible: readonly Leaf[]): boolean {
  if (occurrence.stated.type === 'link' || leaf.shape === 'id') return true;
  if (leaf.kind !== 'text' || leaf.shape === 'prose') return leaf.shape === 'prose';
  const others = visible.filter(({ shape, pointer }) => shape === leaf.shape && pointer !== leaf.pointer);
  if (others.some(({ key, records }) => key === leaf.key && records.join() === leaf.records.join())) return false;
  const isRole = ROLES.has(clause.tokens[occurrence.from - 1]?.text ?? '');
  if (isRole && visible.some((other) => other !== leaf && roleScore(clause, occurrence, other) > 0)) return false;
  if ([...leaf.own].some((word) => SELF_NAMING.has(word)) && classOf(leaf) !== 'person') return true;
  const isOtherName = ({ equal }: Occurrence): boolean =>
    equal.some((one) => one.shape === 'name' && one.key !== leaf.key && classOf(one) === classOf(leaf) && isPrefix(one.records, leaf.records));
  if (clause.occurrences.some((other) => other !== occurrence && isOtherName(other))) return false;
  const inSame = others.filter(({ key, records }) => key !== leaf.key && records.length === leaf.records.length);
  const isTitle = ({ own }: Leaf): boolean => [...own].some((word) => SELF_NAMING.has(word));
  if (leaf.shape === 'name' && !isTitle(leaf) && leaf.records.length > 1 && inSame.some(isTitle)) return false;
  return leaf.shape === 'name'
    ? !inSame.some((other) => classOf(other) === classOf(leaf))
    : !inSame.some(({ own }) => [...own].some((word) => leaf.own.has(word)));
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

/** The verb of a role: `prescriber` is named by "prescribed". */
const actorStems = ({ own, shape }: Leaf): readonly string[] =>
  shape !== 'name' ? [] : [...own].flatMap((word) => (/.{4}(?:er|or)$/u.test(word) ? [stem(`${word.slice(0, -2)}ed`)] : []));

/** A bare number, a state or a flag may stand in many records by chance. */
const isDistinct = ({ stated, equal }: Occurrence): boolean => {
  if (stated.type === 'number') return stated.currency !== null || stated.unit !== null;
  return stated.type !== 'flag' && !equal.some(({ shape }) => shape === 'state');
};

/** Two values of different elements of one list, taken as one record, contradict the facts. */
function conflated(clause: Clause, occurrences: readonly Occurrence[], { lists }: FactIndex): Unbound {
  const first = occurrences.find(({ stated }) => stated.type === 'id' || stated.type === 'text') ?? occurrences[0];
  for (const list of lists) {
    const elements = (one: Occurrence | undefined): ReadonlySet<string> =>
      new Set((one?.equal ?? []).flatMap(({ records }) => records.filter((record) => list.elements.includes(record))));
    const own = elements(first);
    if (own.size !== 1) continue;
    const keys = new Set(first?.equal.map(({ key }) => key));
    const other = occurrences.find(
      (one) =>
        one !== first &&
        isDistinct(one) &&
        !one.equal.some(({ key }) => keys.has(key)) &&
        elements(one).size > 0 &&
        [...elements(one)].every((element) => !own.has(element)) &&
        one.equal.every(({ records }) => records.some((record) => list.elements.includes(record))),
    );
    if (other !== undefined && first !== undefined && !isCoordinated(clause, ...inOrder(first, other)))
      return unbound('the values belong to different records', true);
  }
  return unbound('no single record has all the values');
}

const inOrder = (a: Occurrence, b: Occurrence): readonly [Occurrence, Occurrence] => (a.from < b.from ? [a, b] : [b, a]);

const isCoordinated = ({ tokens }: Clause, a: Occurrence | undefined, b: Occurrence): boolean =>
  tokens
    .slice(a?.to ?? 0, b.from)
    .some(
      (token) =>
        (token.kind === 'mark' && /[,;:•()/&–-]/u.test(token.text)) ||
        (token.kind === 'word' && /^(?:and|plus)$/u.test(token.text)),
    );

/** Whether nothing but a comma or "and" stands between two values. */
const isNextTo = ({ tokens }: Clause, a: Occurrence, b: Occurrence): boolean =>
  b.from > a.to && tokens.slice(a.to, b.from).every(({ text }) => /^(?:,|and)$/u.test(text));

/** "INV-1, INV-2 and INV-3 are open": values of the elements of one list; a value that all of them have is shared. */
function bindList(clause: Clause, occurrences: readonly Occurrence[], cited: FactIndex): BoundClause | null {
  for (const list of cited.lists) {
    const groups = groupsOf(clause, occurrences, list);
    const bound = groups === null ? null : bindGroups(clause, groups, list, cited);
    if (bound !== null) return bound;
  }
  return null;
}

interface Groups {
  readonly own: readonly (readonly Occurrence[])[];
  readonly shared: readonly Occurrence[];
}

const isOf = ({ equal }: Occurrence, element: string): boolean => equal.some(({ records }) => records.includes(element));

/** Splits the values by the element of the list that holds them; null if the sentence does not coordinate them so. */
function groupsOf(clause: Clause, occurrences: readonly Occurrence[], list: ListNode): Groups | null {
  const own: Occurrence[][] = [];
  const shared: Occurrence[] = [];
  let fits: readonly string[] = [];
  for (const occurrence of occurrences) {
    const elements = list.elements.filter((element) => isOf(occurrence, element));
    const both = fits.filter((element) => elements.includes(element));
    if (elements.length !== 1 || occurrence.stated.type === 'flag') shared.push(occurrence);
    else if (own.length > 0 && both.length > 0) own.at(-1)?.push(occurrence);
    else if (own.length === 0 || isCoordinated(clause, own.at(-1)?.at(-1), occurrence)) {
      own.push([occurrence]);
      fits = elements;
    } else return null;
  }
  const isEnumerated = (one: Occurrence): boolean => one.stated.type !== 'flag' && own.flat().some((other) => isNextTo(clause, ...inOrder(one, other)));
  return own.length < 2 || shared.some(isEnumerated) ? null : { own, shared };
}

function bindGroups(clause: Clause, { own, shared }: Groups, list: ListNode, cited: FactIndex): BoundClause | null {
  const bindings: Binding[] = [];
  const used = new Set<string>();
  const size = own[0]?.length ?? 0;
  for (const group of own) {
    const all = [...group, ...shared];
    const chains = group.flatMap(({ equal }) => equal.map(({ records }) => records));
    const record = chains.find((one) => all.every(({ equal }) => equal.some(({ records }) => isPrefix(records, one))));
    const element = record?.find((one) => list.elements.includes(one));
    if (group.length !== size || record === undefined || element === undefined || used.has(element)) return null;
    used.add(element);
    const bound = bindIn({ ...clause, occurrences: all }, all, record, cited.leaves);
    if ('reason' in bound) return null;
    bindings.push(...bound);
  }
  const keys = new Set(bindings.map(({ leaf }) => leaf.key));
  if (keys.size !== size + shared.length) return null;
  const holding = list.elements.filter((element) =>
    shared.every((one) => isOf(one, element) || !list.elements.some((other) => isOf(one, other))),
  );
  const first = own[0]?.[0]?.from ?? 0;
  const isExhaustive =
    clause.words.some(({ at, stem: word }) => at < first && list.own.has(word)) &&
    !clause.words.some(({ text }) => /^(?:includ|among|such)/u.test(text));
  return isExhaustive && used.size < holding.length ? null : { bindings, record: null, lists: [list] };
}
