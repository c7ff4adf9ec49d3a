import { absolute, isNear } from './amounts.ts';
import { inCommonUnit, isSynonym, keyWords, type Leaf, recordOf } from './facts.ts';
import { isPrefix } from './fields.ts';
import type { Clause, Occurrence, WordAt } from './occurrence.ts';
import type { StatedNumber } from './tokens.ts';
import { ALLOWANCES, ID_ENDINGS, REFERENCES, USES } from './words/field-words.ts';
import { LESS_WORDS, MORE_WORDS } from './words/lexicon.ts';

/** Two fields that a clause compares. The subject is more or less than the reference. */
export interface Pair {
  readonly subject: Leaf;
  readonly reference: Leaf;
  /** The fields that name the elements. */
  readonly names: readonly Leaf[];
  /** Whether the clause mentions both fields; otherwise the other one is the only counterpart. */
  readonly isNamed: boolean;
  /** Whether the clause says which one is the subject. */
  readonly isOrdered: boolean;
}

/** Whether the clause has a word of the list; "comes" counts only in "comes to". */
export const hasCue = (clause: Clause, list: ReadonlySet<string>): boolean => cueOf(clause, list) !== undefined;

/** The first word of the list; a word behind "than" names the reference: "more than the month before". */
const cueOf = ({ words, tokens }: Clause, list: ReadonlySet<string>): WordAt | undefined => {
  const than = tokens.findIndex(({ text }) => text === 'than');
  return words.find(
    ({ text, at }) =>
      list.has(text) && (than < 0 || at < than) && (!/^c[oa]mes?$/u.test(text) || tokens[at + 1]?.text === 'to'),
  );
};

/** Whether a result is the stated amount, in the unit of the leaf. */
export function isResult({ stated, qualifier }: Occurrence, result: bigint, unit: string | null): boolean {
  if (stated.type !== 'number') return false;
  return stated.amounts.some((amount) => {
    const [one, other] =
      stated.unit === null || unit === null || stated.unit === unit
        ? [stated.minor ? amount / 100n : amount, absolute(result)]
        : (inCommonUnit(amount, stated.unit, absolute(result), unit) ?? [-1n, result]);
    return one === other || (qualifier === 'about' && isNear(one, other));
  });
}

/** Whether a field is a number that a computation may use: an identifier is none. */
export const isQuantity = ({ number, key }: Leaf): boolean =>
  number !== null && !ID_ENDINGS.has(keyWords(key).at(-1) ?? '');

/** Whether a field has the currency or the dimension of the stated number. */
export function isOfKind(stated: StatedNumber, leaf: Leaf): boolean {
  const { number } = leaf;
  if (number === null || !isQuantity(leaf)) return false;
  if (stated.currency !== null) return number.currencies?.includes(stated.currency) === true;
  if (stated.unit !== null) return number.unit !== null && inCommonUnit(1n, stated.unit, 1n, number.unit) !== null;
  return number.currencies === null;
}

export const isSameMeasure = (a: Leaf, b: Leaf): boolean =>
  a.number?.unit === b.number?.unit && (a.number?.currencies?.join() ?? '') === (b.number?.currencies?.join() ?? '');

/** The place where the clause mentions a field, by a word that the other field does not have or by its value; -1 if nowhere. */
function placeOf(clause: Clause, leaf: Leaf, other: Leaf, self: Occurrence): number {
  const value = clause.occurrences.find(
    (one) => one !== self && one.equal.includes(leaf) && !one.equal.includes(other),
  );
  if (value !== undefined) return value.from;
  const own = [...leaf.own].filter((word) => leaf.number?.unit !== word && !other.own.has(word));
  const isOwn = (word: string): boolean => own.some((one) => isSynonym(one, word));
  return clause.naming.find(({ stem: word }) => isOwn(word) && !other.own.has(word))?.at ?? -1;
}

/** The value of a clause that names the list element of a field. */
function elementName(clause: Clause, leaf: Leaf): Occurrence | null {
  const element = recordOf(leaf);
  const name = clause.occurrences.find(
    ({ stated, equal }) =>
      stated.type !== 'number' && equal.length > 0 && equal.every(({ records }) => records.includes(element)),
  );
  return name ?? null;
}

const parentOf = ({ ref, pointer }: Leaf): string => `${ref}${pointer.slice(0, pointer.lastIndexOf('/'))}`;

/** Whether the clause says which record it means: the field occurs once, or a value names its record. */
export const isPlaced = (clause: Clause, leaf: Leaf, leaves: readonly Leaf[]): boolean =>
  elementName(clause, leaf) !== null ||
  !leaves.some((one) => one.key === leaf.key && one !== leaf && parentOf(one) !== parentOf(leaf));

/** Whether the clause names the field, or its record has no other field of the kind. */
export const isKeyNamed = (clause: Clause, leaf: Leaf, leaves: readonly Leaf[]): boolean =>
  clause.naming.some(({ stem: word }) => [...leaf.own].some((one) => isSynonym(one, word))) ||
  leaves.filter((one) => recordOf(one) === recordOf(leaf)).length === 1;

const has = (leaf: Leaf, stems: ReadonlySet<string>): boolean => [...leaf.own].some((word) => stems.has(word));
const isUse = (leaf: Leaf): boolean => has(leaf, USES);
const isAllowance = (leaf: Leaf): boolean => has(leaf, ALLOWANCES) && !has(leaf, USES);
const isReference = (leaf: Leaf): boolean => has(leaf, REFERENCES);

const OPERANDS_MAX = 60;

/** Pairs of fields that the clause compares: two fields of one record, or one field of two records. */
export function* pairsOf(clause: Clause, leaves: readonly Leaf[], self: Occurrence): Generator<Pair> {
  const operands = leaves.slice(0, OPERANDS_MAX);
  for (const [place, a] of operands.entries())
    for (const b of operands.slice(place + 1)) {
      const isSameRecord = isPrefix(a.records, b.records) || isPrefix(b.records, a.records);
      const pair =
        isSameRecord && a.key !== b.key
          ? fieldPair(clause, a, b, self, leaves)
          : !isSameRecord && a.key === b.key
            ? elementPair(clause, a, b, leaves)
            : null;
      if (pair !== null) yield pair;
    }
}

function fieldPair(clause: Clause, a: Leaf, b: Leaf, self: Occurrence, leaves: readonly Leaf[]): Pair | null {
  if (!isPlaced(clause, a, leaves) || !isPlaced(clause, b, leaves)) return null;
  const names = [a, b].flatMap((leaf) => elementName(clause, leaf)?.equal ?? []);
  const [placeA, placeB] = [placeOf(clause, a, b, self), placeOf(clause, b, a, self)];
  if (placeA >= 0 && placeB >= 0) return placeA === placeB ? null : { ...inOrder(clause, a, b, placeA, placeB), names };
  const shared = [...a.own].filter((word) => b.own.has(word));
  const isShared = shared.some((word) => clause.naming.some(({ stem }) => isSynonym(stem, word)));
  const isOneNamed = placeA >= 0 || placeB >= 0;
  const isCounterpart =
    isReference(a) !== isReference(b) || (isUse(a) && isAllowance(b)) || (isUse(b) && isAllowance(a));
  const isLate = clause.words.some(({ text }) => /^(?:delay|delayed|late|early)$/u.test(text)) && isDistinct(self);
  if (
    !(isOneNamed
      ? shared.length > 0 || isCounterpart || isDistinct(self)
      : (isShared || (isLate && shared.length > 0)) && isCounterpart)
  )
    return null;
  if (isReference(a) !== isReference(b)) {
    const [subject, reference] = isReference(a) ? [b, a] : [a, b];
    return { subject, reference, names, isNamed: false, isOrdered: true };
  }
  return { ...implied(clause, a, b, placeA, placeB), names };
}

/** A number with a unit or a currency is hardly the result of two fields by chance. */
const isDistinct = ({ stated }: Occurrence): boolean =>
  stated.type === 'number' && (stated.currency !== null || stated.unit !== null);

function elementPair(clause: Clause, a: Leaf, b: Leaf, leaves: readonly Leaf[]): Pair | null {
  if (a.records.length !== b.records.length || !isKeyNamed(clause, a, leaves)) return null;
  const [nameA, nameB] = [elementName(clause, a), elementName(clause, b)];
  const names = [nameA, nameB].flatMap((name) => name?.equal ?? []);
  const placeOfValue = (leaf: Leaf, other: Leaf): number =>
    clause.occurrences.find(({ equal }) => equal.includes(leaf) && !equal.includes(other))?.from ?? -1;
  const [valueA, valueB] = [placeOfValue(a, b), placeOfValue(b, a)];
  if (valueA >= 0 && valueB >= 0) return { ...inOrder(clause, a, b, valueA, valueB), names };
  const [placeA, placeB] = [nameA?.from ?? -1, nameB?.from ?? -1];
  if (placeA >= 0 && placeB >= 0) return placeA === placeB ? null : { ...inOrder(clause, a, b, placeA, placeB), names };
  const isOnlyTwo =
    leaves.filter(({ key, records }) => key === a.key && records.length === a.records.length).length === 2;
  if (!isOnlyTwo || placeA + placeB === -2) return null;
  const than = clause.tokens.findIndex(({ text }) => text === 'than');
  const isReferenceNamed = than >= 0 && Math.max(placeA, placeB) > than;
  const [subject, reference] = placeA >= 0 === isReferenceNamed ? [b, a] : [a, b];
  return { subject, reference, names, isNamed: false, isOrdered: true };
}

/** "from 18 to 24": the value behind "from" is the reference; otherwise the first one is the subject. */
function inOrder({ tokens }: Clause, a: Leaf, b: Leaf, placeA: number, placeB: number): Pair {
  const isFrom = (place: number): boolean => tokens[place - 1]?.text === 'from';
  const isFirst = isFrom(placeA) === isFrom(placeB) ? placeA < placeB : isFrom(placeB);
  const [subject, reference] = isFirst ? [a, b] : [b, a];
  return { subject, reference, names: [], isNamed: true, isOrdered: true };
}

/** One field is mentioned: behind the word of comparison it is the reference, before it the subject. */
function implied(clause: Clause, a: Leaf, b: Leaf, placeA: number, placeB: number): Pair {
  const cue = cueOf(clause, MORE_WORDS) ?? cueOf(clause, LESS_WORDS);
  const place = Math.max(placeA, placeB);
  const [named, other] = placeA >= 0 ? [a, b] : [b, a];
  const isBehind = cue !== undefined && place > cue.at;
  const [subject, reference] = isBehind ? [other, named] : [named, other];
  return { subject, reference, names: [], isNamed: false, isOrdered: place >= 0 };
}

/** Whether the words of comparison fit the sign of subject minus reference. */
export function isDirected(clause: Clause, { isOrdered }: Pair, difference: bigint): boolean {
  const [more, less] = [hasCue(clause, MORE_WORDS), hasCue(clause, LESS_WORDS)];
  if (!more && !less) return true;
  return more !== less && isOrdered && (more ? difference > 0n : difference < 0n);
}

/** The first fully named pair that fits; otherwise the only other pair that fits. */
export function findPair(pairs: Iterable<Pair>, fits: (pair: Pair) => boolean): Pair | null {
  const found = [...pairs].filter(fits);
  const named = found.find(({ isNamed }) => isNamed);
  return named ?? (found.length === 1 ? (found[0] ?? null) : null);
}
