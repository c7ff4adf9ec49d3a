import { absolute, isNear, SCALE } from './amounts.ts';
import type { Clause, Occurrence } from './clause.ts';
import type { Computed } from './compute.ts';
import { dayNumber, type Moment } from './dates.ts';
import { conceptOf, inCommonUnit, keyWords, type Leaf } from './facts.ts';
import { ALLOWANCES, DIFFERENCE_WORDS, ID_ENDINGS, SPAN_WORDS, SUM_WORDS, USES } from './lexicon.ts';
import { type StatedNumber, stem } from './tokens.ts';

/**
 * Recomputes a number from two fields of one record: a difference, a sum, or the time between two moments. The clause
 * must name both fields, or the record has no other fields of the kind.
 */
export function derive(clause: Clause, occurrence: Occurrence, leaves: readonly Leaf[]): Computed {
  const { stated } = occurrence;
  if (stated.type !== 'number') return null;
  const words = clause.words.map(({ text }) => text);
  const isSpan = stated.unit !== null && words.some((word) => SPAN_WORDS.has(word));
  if (isSpan) return spanOf(clause, stated, occurrence, leaves);
  const isDifference = words.some((word) => DIFFERENCE_WORDS.has(word));
  const isSum = words.some((word) => SUM_WORDS.has(word) || word === 'plus');
  if (!isDifference && !isSum) return null;
  return pairOf(clause, stated, occurrence, leaves, isSum && !isDifference ? 'sum' : 'difference');
}

/** Two leaves of one record, in any order. */
function* pairs(leaves: readonly Leaf[]): Generator<readonly [Leaf, Leaf]> {
  for (const [place, a] of leaves.entries())
    for (const b of leaves.slice(place + 1)) if (a.records.join() === b.records.join()) yield [a, b];
}

function pairOf(
  clause: Clause,
  stated: StatedNumber,
  { qualifier }: Occurrence,
  leaves: readonly Leaf[],
  kind: 'sum' | 'difference',
): Computed {
  const numbers = leaves.filter(
    (leaf) => leaf.number !== null && !ID_ENDINGS.has(keyWords(leaf.key).at(-1) ?? '') && isOfKind(stated, leaf),
  );
  for (const [a, b] of pairs(numbers)) {
    const [x, y] = [a.number?.amount ?? 0n, b.number?.amount ?? 0n];
    if (a.number?.unit !== b.number?.unit || a.number?.currencies?.join() !== b.number?.currencies?.join()) continue;
    const result = absolute(kind === 'sum' ? x + y : x - y);
    if (!stated.amounts.some((amount) => isResult(stated, amount, result, a, qualifier === 'about'))) continue;
    const isOnly = numbers.filter((leaf) => leaf.records.join() === a.records.join()).length === 2;
    if (isOnly || (isNamed(clause, a) && isNamed(clause, b)) || (kind === 'difference' && isRest(clause, a, b)))
      return proof(clause, [a, b]);
  }
  return null;
}

/** The stated amount in the unit of the leaf. */
function isResult(stated: StatedNumber, amount: bigint, result: bigint, leaf: Leaf, isAbout: boolean): boolean {
  const unit = leaf.number?.unit ?? null;
  const [one, other] =
    stated.unit === null || unit === null || stated.unit === unit
      ? [stated.minor ? amount / 100n : amount, result]
      : (inCommonUnit(amount, stated.unit, result, unit) ?? [-1n, result]);
  return one === other || (isAbout && isNear(one, other));
}

function isOfKind(stated: StatedNumber, { number }: Leaf): boolean {
  if (number === null) return false;
  if (stated.currency !== null) return number.currencies?.includes(stated.currency) === true;
  if (stated.unit !== null) return number.unit !== null && inCommonUnit(1n, stated.unit, 1n, number.unit) !== null;
  return number.currencies === null;
}

const isNamed = (clause: Clause, leaf: Leaf): boolean => {
  const concepts = new Set(clause.naming.map(({ stem: word }) => conceptOf(word)));
  const own = [...leaf.own].filter((word) => leaf.number?.unit !== word);
  return own.length > 0 && own.some((word) => concepts.has(conceptOf(word)));
};

/** "6 GB left": what remains of an allowance after its use. */
function isRest(clause: Clause, a: Leaf, b: Leaf): boolean {
  const isLeft = clause.words.some(({ text }) => /^(?:left|remaining|remain|remains)$/u.test(text));
  const has = (leaf: Leaf, stems: ReadonlySet<string>): boolean => [...leaf.own].some((word) => stems.has(word));
  const [whole, used] = (a.number?.amount ?? 0n) >= (b.number?.amount ?? 0n) ? [a, b] : [b, a];
  return isLeft && has(whole, ALLOWANCES) && has(used, USES);
}

const proof = (clause: Clause, leaves: readonly Leaf[]): Computed => ({
  ruling: 'proven',
  leaves,
  lists: [],
  used: new Set(
    clause.words
      .filter(
        ({ text }) => DIFFERENCE_WORDS.has(text) || SPAN_WORDS.has(text) || SUM_WORDS.has(text) || text === 'plus',
      )
      .map(({ text }) => stem(text)),
  ),
});

const MINUTES: Readonly<Record<string, number>> = {
  minute: 1,
  min: 1,
  mins: 1,
  hour: 60,
  h: 60,
  hr: 60,
  hrs: 60,
  day: 1_440,
  night: 1_440,
  week: 10_080,
};

function spanOf(clause: Clause, stated: StatedNumber, { qualifier }: Occurrence, leaves: readonly Leaf[]): Computed {
  const size = Object.hasOwn(MINUTES, stated.unit ?? '') ? MINUTES[stated.unit ?? ''] : undefined;
  const isMonths = stated.unit === 'month' || stated.unit === 'year';
  if (size === undefined && !isMonths) return null;
  const moments = leaves.filter(({ moment }) => moment !== null && (moment.day === null || moment.day.day !== null));
  for (const [a, b] of pairs(moments)) {
    const between = minutesBetween(a.moment as Moment, b.moment as Moment, size !== undefined && size < 1_440);
    if (between === null) continue;
    const isEqual = stated.amounts.some((amount) => {
      if (size !== undefined) return between % size === 0 && amount === BigInt(between / size) * SCALE;
      return qualifier === 'about'
        ? isNear(amount * BigInt(stated.unit === 'year' ? 525_960 : 43_830), BigInt(between) * SCALE)
        : monthsBetween(a.moment as Moment, b.moment as Moment) * (stated.unit === 'year' ? 1 / 12 : 1) ===
            Number(amount / SCALE);
    });
    if (!isEqual) continue;
    const isOnly = moments.filter((leaf) => leaf.records.join() === a.records.join()).length === 2;
    if (isOnly || (isNamed(clause, a) && isNamed(clause, b))) return proof(clause, [a, b]);
  }
  return null;
}

function minutesBetween(a: Moment, b: Moment, needsTime: boolean): number | null {
  if ((a.day === null) !== (b.day === null)) return null;
  const days = a.day === null || b.day === null ? 0 : dayNumber(b.day) - dayNumber(a.day);
  if (!needsTime) return days === 0 ? null : Math.abs(days) * 1_440;
  if (a.minutes === null || b.minutes === null) return null;
  return Math.abs(days * 1_440 + b.minutes - a.minutes);
}

/** Whole months from the first day of a term to its last, so that 1 February to 31 January is twelve. */
function monthsBetween(a: Moment, b: Moment): number {
  const [from, to] = [a.day, b.day];
  if (from === null || to === null || from.day === null || to.day === null) return -1;
  const [first, last] = dayNumber(from) <= dayNumber(to) ? [from, to] : [to, from];
  const months = ((last.year ?? 0) - (first.year ?? 0)) * 12 + last.month - first.month;
  if (last.day === first.day) return months;
  const isTermEnd = first.day === 1 ? (last.day ?? 0) >= 28 : last.day === (first.day ?? 0) - 1;
  return isTermEnd ? months + (first.day === 1 ? 1 : 0) : -1;
}
