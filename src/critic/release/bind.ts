import type { Clause, Occurrence } from './clause.ts';
import { conceptOf, keyWords, type Leaf } from './facts.ts';
import { DATE_ROLES, ID_ENDINGS, ROLES, SELF_NAMING } from './lexicon.ts';
import { stem } from './tokens.ts';

/** A value of a clause and the leaf it rests on. */
export interface Binding {
  readonly occurrence: Occurrence;
  readonly leaf: Leaf;
}

export type Bound =
  | { readonly ok: true; readonly bindings: readonly Binding[] }
  | { readonly ok: false; readonly contradicted: boolean; readonly reason: string };

/** Whether a leaf belongs to a record or to one of the records around it. */
export const isVisibleIn = (leaf: Leaf, record: readonly string[]): boolean =>
  leaf.records.length <= record.length && leaf.records.every((one, place) => record[place] === one);

/** The records of the leaves, innermost first. */
export function recordsOf(leaves: readonly Leaf[]): readonly (readonly string[])[] {
  const records = new Map(leaves.map(({ records: chain }) => [chain.join('\n'), chain]));
  return [...records.values()].sort((a, b) => b.length - a.length);
}

/**
 * Binds every value of a clause to a field of one record. The clause must name the field, or the record has no rival: no
 * other field of the same kind. A rival that the clause names better contradicts the clause.
 */
export function bindIn(
  clause: Clause,
  occurrences: readonly Occurrence[],
  record: readonly string[],
  leaves: readonly Leaf[],
): Bound {
  const visible = leaves.filter((leaf) => isVisibleIn(leaf, record));
  const bindings: Binding[] = [];
  for (const occurrence of occurrences) {
    const candidates = occurrence.equal.filter((leaf) => isVisibleIn(leaf, record));
    if (candidates.length === 0)
      return { ok: false, contradicted: false, reason: 'the record does not have the value' };
    const found = bindOne(clause, occurrence, candidates, visible);
    if ('reason' in found) return { ok: false, ...found };
    bindings.push({ occurrence, leaf: found.leaf });
  }
  return { ok: true, bindings };
}

type One = { readonly leaf: Leaf } | { readonly contradicted: boolean; readonly reason: string };

function bindOne(clause: Clause, occurrence: Occurrence, candidates: readonly Leaf[], visible: readonly Leaf[]): One {
  const scored = candidates.map((leaf) => ({ leaf, score: nameScore(clause, occurrence, leaf) }));
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a), { leaf: candidates[0] as Leaf, score: -1 });
  const text = textOf(occurrence);
  const rivals = visible
    .filter((leaf) => !candidates.includes(leaf) && isRival(leaf, best.leaf))
    .map((leaf) => ({ leaf, score: nameScore(clause, occurrence, leaf) }));
  const rival = rivals.reduce<{ leaf: Leaf; score: number } | null>(
    (a, b) => (a === null || b.score > a.score ? b : a),
    null,
  );
  if (rival !== null && rival.score > best.score)
    return {
      contradicted:
        rival.score >= STRONG && isLike(rival.leaf, best.leaf) && isNamedBefore(clause, occurrence, rival.leaf),
      reason: `${text} is the value of ${best.leaf.pointer}, and the sentence names ${rival.leaf.pointer}`,
    };
  if (
    rival !== null &&
    rival.score === best.score &&
    best.score > 0 &&
    distanceTo(clause, occurrence, best.leaf) >= distanceTo(clause, occurrence, rival.leaf)
  )
    return { contradicted: false, reason: `${text} could be ${best.leaf.pointer} or ${rival.leaf.pointer}` };
  if (best.score > 0 || isSelfNaming(clause, occurrence, best.leaf, visible)) return { leaf: best.leaf };
  if (best.leaf.kind !== 'text' && best.leaf.kind !== 'boolean' && rivals.length === 0) return { leaf: best.leaf };
  return { contradicted: false, reason: `the sentence does not name the field of ${text}` };
}

/** Fields contradict each other only if their keys have a common word: `billing_city` and `shipping_city`. */
const isLike = (a: Leaf, b: Leaf): boolean => [...a.own, ...a.full].some((word) => b.own.has(word) || b.full.has(word));

/** A rival that shares at least one exact word of its own key with the clause is named. */
const STRONG = 3;

export const textOf = ({ stated }: Occurrence): string => {
  switch (stated.type) {
    case 'number':
      return `the number ${String(stated.amounts[0] ?? '')}`;
    case 'text':
      return `"${stated.text}"`;
    case 'id':
      return stated.id;
    case 'link':
      return stated.link;
    default:
      return `the ${stated.type}`;
  }
};

/** Fields of one kind can be mistaken for each other: two amounts, two dates, two texts. */
function isRival(leaf: Leaf, bound: Leaf): boolean {
  if (leaf.kind !== bound.kind) return false;
  if (leaf.kind !== 'number') return leaf.shape === bound.shape;
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
export function nameScore(clause: Clause, occurrence: Occurrence, leaf: Leaf): number {
  const words = (hasSameKind(clause, occurrence) ? wordsNear(clause, occurrence) : clause.naming).filter(
    ({ at }) => at < occurrence.from || at >= occurrence.to,
  );
  const stems = new Set(words.map((word) => word.stem));
  for (const [place, word] of words.entries()) {
    const next = words[place + 1];
    if (next !== undefined && next.at - word.at <= 2) stems.add(stem(`${word.text}${next.text}`));
    if (/^(?:comes?|amounts?|came)$/u.test(word.text) && clause.tokens[word.at + 1]?.text === 'to') stems.add('total');
  }
  const concepts = new Set([...stems].map(conceptOf));
  const unit =
    occurrence.stated.type === 'number' && occurrence.stated.unit !== null ? stem(occurrence.stated.unit) : null;
  let score = 0;
  for (const word of [...leaf.own, ...actorStems(leaf)].filter((one) => !PREPOSITIONS.has(one)))
    score += stems.has(word) || word === unit ? 3 : concepts.has(conceptOf(word)) ? 2 : 0;
  if (
    leaf.own.size > 0 &&
    [...leaf.own].every((word) => stems.has(word) || word === unit || concepts.has(conceptOf(word)))
  )
    score += 1;
  for (const word of leaf.path) score += leaf.own.has(word) ? 0 : concepts.has(conceptOf(word)) ? 1 : 0;
  return score + roleScore(clause, occurrence, leaf);
}

/** Prepositions in keys count as roles, right before a value. */
const PREPOSITIONS: ReadonlySet<string> = new Set(['from', 'to', 'by', 'with', 'of', 'on', 'at', 'until']);

/** The words between the value before and the value after. */
function wordsNear(clause: Clause, occurrence: Occurrence): Clause['words'] {
  const others = clause.occurrences.filter((other) => other !== occurrence);
  const from = Math.max(-1, ...others.filter(({ to }) => to <= occurrence.from).map(({ to }) => to - 1));
  const to = Math.min(
    clause.tokens.length,
    ...others.filter(({ from: start }) => start >= occurrence.to).map(({ from: start }) => start),
  );
  return clause.naming.filter(({ at }) => (at > from && at < occurrence.from) || (at >= occurrence.to && at < to));
}

const namesLeaf = (leaf: Leaf, word: string): boolean =>
  (leaf.own.has(word) && !PREPOSITIONS.has(word)) ||
  [...leaf.own].some((one) => one !== word && conceptOf(one) === conceptOf(word));

/** The number of tokens between a value and the nearest word that names the field; behind the value it counts double. */
function distanceTo(clause: Clause, occurrence: Occurrence, leaf: Leaf): number {
  const named = clause.naming.filter(
    ({ stem: word, at }) => namesLeaf(leaf, word) && (at < occurrence.from || at >= occurrence.to),
  );
  return Math.min(
    clause.tokens.length * 2,
    ...named.map(({ at }) => (at < occurrence.from ? occurrence.from - at : 2 * (at - occurrence.to + 1))),
  );
}

/** Whether a word before the value, or right behind it, names the field: only then the clause claims the value for it. */
const isNamedBefore = (clause: Clause, occurrence: Occurrence, leaf: Leaf): boolean =>
  clause.naming.some(
    ({ stem: word, at }) =>
      namesLeaf(leaf, word) && (at < occurrence.from || (at >= occurrence.to && at < occurrence.to + 2)),
  );

/** "from Oslo to Rome": the preposition before a value names its role. */
function roleScore(clause: Clause, occurrence: Occurrence, leaf: Leaf): number {
  const before = clause.tokens[occurrence.from - 1];
  if (before?.kind !== 'word' || occurrence.stated.type === 'number') return 0;
  const roles = leaf.kind === 'moment' ? DATE_ROLES : ROLES;
  const role = Object.hasOwn(roles, before.text) ? roles[before.text] : undefined;
  return role !== undefined && [...leaf.own].some((word) => role.has(word)) ? 3 : 0;
}

/**
 * A text may stand without a word for its field: an identifier, a state, or a name that no other name of the record
 * rivals. A preposition that marks the role of another field needs that field.
 */
function isSelfNaming(clause: Clause, occurrence: Occurrence, leaf: Leaf, visible: readonly Leaf[]): boolean {
  if (occurrence.stated.type === 'link' || leaf.shape === 'id') return true;
  if (leaf.kind !== 'text' || leaf.shape === 'prose') return leaf.shape === 'prose';
  const otherNames = clause.occurrences.filter(
    (other) =>
      other !== occurrence &&
      other.equal.some(
        (one) => one.shape === 'name' && one.key !== leaf.key && one.records.join() === leaf.records.join(),
      ),
  );
  if (leaf.shape === 'name' && otherNames.length > 0) return false;
  const before = clause.tokens[occurrence.from - 1];
  const isRole = before?.kind === 'word' && Object.hasOwn(ROLES, before.text);
  if (isRole && visible.some((other) => other !== leaf && roleScore(clause, occurrence, other) > 0)) return false;
  if ([...leaf.own].some((word) => SELF_NAMING.has(word))) return true;
  const sameShape = visible.filter(
    (other) => other.shape === leaf.shape && other.key !== leaf.key && other.records.length === leaf.records.length,
  );
  return leaf.shape === 'name'
    ? !sameShape.some((other) => classOf(other) === classOf(leaf))
    : !sameShape.some(({ own }) => [...own].some((word) => leaf.own.has(word)));
}

const PLACES =
  /^(?:city|town|location|place|from|to|origin|destination|depot|hub|venue|address|pickup|dropoff|branch|region|country|airport|station|warehouse|site|office|room)$/u;
const PERSONS =
  /(?:er|or|ee|ant|ist|ian|by|ent|name|contact|lead|head|deputy|owner|author|host|guest|nurse|coach|spouse)$/u;

/** Names of one class can be mistaken for each other: two persons, two places. */
function classOf({ key }: Leaf): string {
  const words = keyWords(key);
  if (words.some((word) => PLACES.test(word))) return 'place';
  return words.some((word) => PERSONS.test(word)) ? 'person' : key;
}

/** The verb of a role: `prescriber` is named by "prescribed". */
const actorStems = ({ own, shape }: Leaf): readonly string[] =>
  shape !== 'name'
    ? []
    : [...own].flatMap((word) => (/.{4}(?:er|or)$/u.test(word) ? [stem(`${word.slice(0, -2)}ed`)] : []));
