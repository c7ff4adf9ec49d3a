import { absolute, isNear, SCALE } from './amounts.ts';
import type { Clause, Occurrence } from './clause.ts';
import { type Computed, countOf, type DerivedNumber } from './count.ts';
import { dayNumber, type FactMoment, monthsBetween } from './dates.ts';
import { columnsOf, type FactIndex, inCommonUnit, isSynonym, keyWords, type Leaf, type ListNode } from './facts.ts';
import {
  ALLOWANCES,
  EACH_WORDS,
  ID_ENDINGS,
  LESS_WORDS,
  MORE_WORDS,
  REST_WORDS,
  SPAN_WORDS,
  SUM_WORDS,
  USES,
} from './lexicon.ts';
import { UNITS } from './measures.ts';
import { type StatedNumber, stem } from './tokens.ts';

type Rule = (clause: Clause, occurrence: Occurrence, stated: StatedNumber, index: FactIndex) => Computed;

/** Recomputes a number that is no value of a field. The first rule that reaches the stated number proves it. */
export function compute(clause: Clause, occurrence: Occurrence, index: FactIndex): Computed {
  const { stated } = occurrence;
  if (stated.type !== 'number') return null;
  for (const rule of RULES) {
    const found = rule(clause, occurrence, stated, index);
    if (found !== null) return found;
  }
  return null;
}

const hasWord = (clause: Clause, list: ReadonlySet<string>): boolean =>
  clause.words.some(
    ({ text, at }) => list.has(text) && (!/^c[oa]mes?$/u.test(text) || clause.tokens[at + 1]?.text === 'to'),
  );

const proof = (
  clause: Clause,
  leaves: readonly Leaf[],
  lists: readonly ListNode[],
  ...allowed: ReadonlySet<string>[]
): DerivedNumber => ({
  leaves,
  lists,
  used: new Set([
    ...lists.flatMap(({ own }) => [...own]),
    ...clause.words.filter(({ text }) => allowed.some((list) => list.has(text))).map(({ text }) => stem(text)),
  ]),
});

/** Whether a result is the stated amount, in the unit of the leaf. */
function isResult(
  { stated, qualifier }: { stated: StatedNumber; qualifier: string },
  result: bigint,
  unit: string | null,
): boolean {
  return stated.amounts.some((amount) => {
    const [one, other] =
      stated.unit === null || unit === null || stated.unit === unit
        ? [stated.minor ? amount / 100n : amount, absolute(result)]
        : (inCommonUnit(amount, stated.unit, absolute(result), unit) ?? [-1n, result]);
    return one === other || (qualifier === 'about' && isNear(one, other));
  });
}

/** Whether a field has the currency or the dimension of the stated number. */
function isOfKind(stated: StatedNumber, { number, key }: Leaf): boolean {
  if (number === null || ID_ENDINGS.has(keyWords(key).at(-1) ?? '')) return false;
  if (stated.currency !== null) return number.currencies?.includes(stated.currency) === true;
  if (stated.unit !== null) return number.unit !== null && inCommonUnit(1n, stated.unit, 1n, number.unit) !== null;
  return number.currencies === null;
}

/** The place where the clause mentions a field, by a word that the other field does not have or by its value; -1 if nowhere. */
function placeOf(clause: Clause, leaf: Leaf, other: Leaf, self: Occurrence): number {
  const value = clause.occurrences.find(
    (one) => one !== self && one.equal.includes(leaf) && !one.equal.includes(other),
  );
  if (value !== undefined) return value.from;
  const own = [...leaf.own].filter((word) => leaf.number?.unit !== word && !other.own.has(word));
  const isOwn = (word: string): boolean => own.some((one) => isSynonym(one, word));
  const isOther = (word: string): boolean => other.own.has(word);
  return clause.naming.find(({ stem: word }) => isOwn(word) && !isOther(word))?.at ?? -1;
}

/** The value of a clause that names the list element of a field. */
function elementName(clause: Clause, leaf: Leaf): Occurrence | null {
  const element = leaf.records.at(-1) ?? '';
  const name = clause.occurrences.find(
    ({ stated, equal }) =>
      stated.type !== 'number' && equal.length > 0 && equal.every(({ records }) => records.includes(element)),
  );
  return name ?? null;
}

/** Whether the words of comparison fit the order: "A is more than B" needs the first operand to be the larger. */
function isDirected(clause: Clause, places: readonly [number, number], difference: number): boolean {
  const [more, less] = [hasWord(clause, MORE_WORDS), hasWord(clause, LESS_WORDS)];
  if (!more && !less) return true;
  if (more && less) return false;
  const isFirstLarger = places[0] < places[1] === difference > 0;
  return more ? isFirstLarger : !isFirstLarger;
}

interface Pair {
  readonly a: Leaf;
  readonly b: Leaf;
  readonly places: readonly [number, number];
  /** The fields that name the elements. */
  readonly names: readonly Leaf[];
}

const OPERANDS_MAX = 60;

/** Pairs of fields that the clause mentions: two fields of one record, or one field of two named elements. */
function* pairsOf(clause: Clause, leaves: readonly Leaf[], self: Occurrence): Generator<Pair> {
  const operands = leaves.slice(0, OPERANDS_MAX);
  for (const [place, a] of operands.entries())
    for (const b of operands.slice(place + 1)) {
      const isSameRecord = a.records.join() === b.records.join();
      const places: readonly [number, number] = isSameRecord
        ? [placeOf(clause, a, b, self), placeOf(clause, b, a, self)]
        : [elementName(clause, a)?.from ?? -1, elementName(clause, b)?.from ?? -1];
      const isNamed = places[0] >= 0 && places[1] >= 0 && places[0] !== places[1];
      if (isNamed && (isSameRecord ? a.key !== b.key : a.key === b.key && isKeyNamed(clause, a, leaves)))
        yield {
          a,
          b,
          places,
          names: isSameRecord ? [] : [a, b].flatMap((one) => elementName(clause, one)?.equal ?? []),
        };
    }
}

/** Whether the clause names the field, or its element has no other field of the kind. */
const isKeyNamed = (clause: Clause, leaf: Leaf, leaves: readonly Leaf[]): boolean =>
  clause.naming.some(({ stem: word }) => [...leaf.own].some((one) => isSynonym(one, word))) ||
  leaves.filter(({ records }) => records.join() === leaf.records.join()).length === 1;

const isSameMeasure = (a: Leaf, b: Leaf): boolean =>
  a.number?.unit === b.number?.unit && a.number?.currencies?.join() === b.number?.currencies?.join();

/** "€65.00 more than in February", "two points behind": the difference of two mentioned fields. */
const differenceOf: Rule = (clause, occurrence, stated, { leaves }) => {
  if (![MORE_WORDS, LESS_WORDS, REST_WORDS].some((list) => hasWord(clause, list))) return null;
  const operands = leaves.filter((leaf) => isOfKind(stated, leaf));
  for (const { a, b, places, names } of pairsOf(clause, operands, occurrence)) {
    const difference = (a.number?.amount ?? 0n) - (b.number?.amount ?? 0n);
    if (
      !isSameMeasure(a, b) ||
      !isResult({ stated, qualifier: occurrence.qualifier }, difference, a.number?.unit ?? null)
    )
      continue;
    if (isDirected(clause, places, difference > 0n ? 1 : -1))
      return proof(clause, [a, b, ...names], [], MORE_WORDS, LESS_WORDS, REST_WORDS);
  }
  return null;
};

/** "6 GB left": the rest of an allowance after its use. The record must have one allowance and one use of the kind. */
const restOf: Rule = (clause, occurrence, stated, { leaves }) => {
  if (!hasWord(clause, REST_WORDS)) return null;
  const has = (leaf: Leaf, stems: ReadonlySet<string>): boolean => [...leaf.own].some((word) => stems.has(word));
  const operands = leaves.filter((leaf) => isOfKind(stated, leaf));
  for (const used of operands.filter((leaf) => has(leaf, USES))) {
    const inRecord = operands.filter((leaf) => leaf.records.join() === used.records.join());
    const limits = inRecord.filter((leaf) => leaf !== used && has(leaf, ALLOWANCES) && !has(leaf, USES));
    const [limit] = limits;
    if (limit === undefined || limits.length > 1 || inRecord.filter((leaf) => has(leaf, USES)).length > 1) continue;
    const rest = (limit.number?.amount ?? 0n) - (used.number?.amount ?? 0n);
    if (
      rest >= 0n &&
      isSameMeasure(limit, used) &&
      isResult({ stated, qualifier: occurrence.qualifier }, rest, limit.number?.unit ?? null)
    )
      return proof(clause, [limit, used], [], REST_WORDS);
  }
  return null;
};

/** "in total": the sum of one field over a whole list, or over its elements with the values of the clause. */
const sumOf: Rule = (clause, occurrence, stated, index) => {
  if (!hasWord(clause, SUM_WORDS)) return null;
  const filters = [...clause.occurrences, ...clause.flags].filter(
    (one) => one.stated.type === 'text' || one.stated.type === 'flag' || one.stated.type === 'id',
  );
  for (const list of index.lists) {
    if (!list.complete || list.elements.length < 2) continue;
    const isInside = (leaf: Leaf): boolean => list.elements.some((element) => leaf.records.includes(element));
    const inside = filters.filter(({ equal }) => equal.some(isInside));
    const named = inside.filter(({ equal }) => new Set(equal.map(({ records }) => records.at(-1))).size === 1);
    const fits = (filter: Occurrence, leaf: Leaf): boolean =>
      filter.equal.some(({ records }) => records.includes(leaf.records.at(-1) ?? ''));
    const holds = (leaf: Leaf): boolean =>
      inside.every((filter) => (named.length > 1 && named.includes(filter)) || fits(filter, leaf)) &&
      (named.length < 2 || named.some((filter) => fits(filter, leaf)));
    for (const column of columnsOf(list, index.leaves)) {
      const leaves = column.filter(holds);
      const [first] = leaves;
      if (
        first === undefined ||
        leaves.length < 2 ||
        column.length !== list.elements.length ||
        !isOfKind(stated, first)
      )
        continue;
      if (
        !leaves.every((leaf) => isSameMeasure(leaf, first)) ||
        !isKeyNamed(
          clause,
          first,
          index.leaves.filter((leaf) => isOfKind(stated, leaf)),
        )
      )
        continue;
      const sum = leaves.reduce((total, { number }) => total + (number?.amount ?? 0n), 0n);
      if (isResult({ stated, qualifier: occurrence.qualifier }, sum, first.number?.unit ?? null))
        return proof(clause, [...leaves, ...inside.flatMap(({ equal }) => equal.filter(isInside))], [list], SUM_WORDS);
    }
  }
  return null;
};

/** "wages and interest add up to": the sum of two mentioned fields of one record. */
const pairSumOf: Rule = (clause, occurrence, stated, { leaves }) => {
  if (!hasWord(clause, SUM_WORDS)) return null;
  for (const { a, b, names } of pairsOf(
    clause,
    leaves.filter((leaf) => isOfKind(stated, leaf)),
    occurrence,
  )) {
    const sum = (a.number?.amount ?? 0n) + (b.number?.amount ?? 0n);
    if (isSameMeasure(a, b) && isResult({ stated, qualifier: occurrence.qualifier }, sum, a.number?.unit ?? null))
      return proof(clause, [a, b, ...names], [], SUM_WORDS);
  }
  return null;
};

/** "four nights at €118.00 come to €472.00": the product of a stated count and a stated or mentioned price. */
const productOf: Rule = (clause, occurrence, stated, { leaves }) => {
  if (stated.currency === null) return null;
  const counts = clause.occurrences.filter(
    (one) =>
      one !== occurrence &&
      one.stated.type === 'number' &&
      one.stated.currency === null &&
      !one.stated.minor &&
      one.stated.unit !== '%',
  );
  const prices = leaves.filter((leaf) => isOfKind(stated, leaf));
  const isMentioned = (leaf: Leaf): boolean =>
    clause.occurrences.some((one) => one !== occurrence && one.equal.includes(leaf)) ||
    isKeyNamed(clause, leaf, prices);
  for (const price of prices.filter(isMentioned))
    for (const count of counts) {
      const [amount = 0n] = count.stated.type === 'number' ? count.stated.amounts : [];
      if (
        amount > SCALE &&
        isResult({ stated, qualifier: occurrence.qualifier }, ((price.number?.amount ?? 0n) * amount) / SCALE, null)
      )
        return proof(clause, [price], [], SUM_WORDS, EACH_WORDS);
    }
  return null;
};

/** "68.25% of your allowance": the share of one mentioned field in another, or the change from one to the other. */
const shareOf: Rule = (clause, occurrence, stated, { leaves }) => {
  if (stated.unit === null || UNITS.get(stated.unit)?.[0] !== 'percent') return null;
  const isChange = hasWord(clause, MORE_WORDS) || hasWord(clause, LESS_WORDS);
  const numbers = leaves.filter(({ number, key }) => number !== null && !ID_ENDINGS.has(keyWords(key).at(-1) ?? ''));
  for (const { a, b, places, names } of pairsOf(clause, numbers, occurrence)) {
    const [x, y] = [a.number?.amount ?? 0n, b.number?.amount ?? 0n];
    if (!isSameMeasure(a, b) || x <= 0n || y <= 0n) continue;
    const [part, base] = isChange ? [x - y, y] : x < y ? [x, y] : [y, x];
    const exact = (absolute(part) * 100n * SCALE) / base;
    const isShare = stated.amounts.some(
      (one) => one === exact || (occurrence.qualifier === 'about' && isNear(one, exact)),
    );
    if (isShare && (!isChange || isDirected(clause, places, part > 0n ? 1 : -1)))
      return proof(clause, [a, b, ...names], [], MORE_WORDS, LESS_WORDS);
  }
  return null;
};

/** "two days after the incident", "the call lasted 15 minutes": the time between two moments. */
const spanOf: Rule = (clause, { qualifier, ...occurrence }, stated, { leaves }) => {
  const self = clause.occurrences.find(({ from }) => from === occurrence.from);
  const [dimension, size = 0] = UNITS.get(stated.unit ?? '') ?? [];
  if (self === undefined || (dimension !== 'time' && dimension !== 'nights' && dimension !== 'months')) return null;
  const isCompared = hasWord(clause, MORE_WORDS) || hasWord(clause, LESS_WORDS);
  if (!isCompared && !hasWord(clause, SPAN_WORDS)) return null;
  const moments = leaves.filter(({ moment }) => moment !== null && (moment.day === null || moment.day.day !== null));
  const parent = ({ ref, pointer }: Leaf): string => `${ref}${pointer.slice(0, pointer.lastIndexOf('/'))}`;
  const isPathNamed = ({ path }: Leaf): boolean =>
    path.size === 0 || clause.naming.some(({ stem: word }) => path.has(word));
  const isOnly = (leaf: Leaf): boolean =>
    isPathNamed(leaf) && moments.filter((one) => parent(one) === parent(leaf)).length === 2;
  const only = moments.filter((leaf) => !isCompared && isOnly(leaf)).slice(0, 2);
  const pairs: Pair[] = [...pairsOf(clause, moments, self)];
  const [a, b] = only;
  if (a !== undefined && b !== undefined && a.records.join() === b.records.join())
    pairs.push({ a, b, places: [0, 1], names: [] });
  for (const pair of pairs) {
    const [from, to] = [pair.a.moment as FactMoment, pair.b.moment as FactMoment];
    const minutes = minutesBetween(from, to, dimension === 'time' && size < DAY);
    if (minutes === null || !isSpan(stated, dimension, size, Math.abs(minutes), monthsBetween(from, to), qualifier))
      continue;
    if (isDirected(clause, pair.places, -minutes))
      return proof(clause, [pair.a, pair.b, ...pair.names], [], MORE_WORDS, LESS_WORDS, SPAN_WORDS);
  }
  return null;
};

const MINUTE = 60_000;
const DAY = 86_400_000;

function isSpan(
  stated: StatedNumber,
  dimension: string,
  size: number,
  minutes: number,
  months: number,
  qualifier: string,
): boolean {
  const unit = dimension === 'nights' ? DAY : size;
  return stated.amounts.some((amount) => {
    if (dimension === 'months' && qualifier !== 'about')
      return amount === (BigInt(Math.max(0, months)) * SCALE) / BigInt(size) && months > 0;
    const exact = BigInt(minutes) * BigInt(MINUTE) * SCALE;
    const one = amount * BigInt(dimension === 'months' ? Math.round(30.44 * DAY) * size : unit);
    return one === exact || (qualifier === 'about' && isNear(one, exact));
  });
}

/** Minutes from one moment to another; whole days where no time of day is needed. */
function minutesBetween(a: FactMoment, b: FactMoment, needsTime: boolean): number | null {
  if ((a.day === null) !== (b.day === null)) return null;
  const days = a.day === null || b.day === null ? 0 : dayNumber(b.day) - dayNumber(a.day);
  if (!needsTime) return days === 0 ? null : days * 1_440;
  return a.minutes === null || b.minutes === null || a.offset !== b.offset
    ? null
    : days * 1_440 + b.minutes - a.minutes;
}

const RULES: readonly Rule[] = [countOf, sumOf, spanOf, restOf, differenceOf, pairSumOf, productOf, shareOf];
