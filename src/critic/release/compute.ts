import { isNear, SCALE } from './amounts.ts';
import { type Computed, countOf, type DerivedNumber } from './count.ts';
import { dayNumber, type FactMoment, monthsBetween } from './dates.ts';
import { columnsOf, type FactIndex, isSynonym, keyWords, type Leaf, type ListNode, recordOf } from './facts.ts';
import { isPrefix } from './fields.ts';
import { type Clause, NO_VALUE, type Occurrence } from './occurrence.ts';
import {
  findPair,
  hasCue,
  isDirected,
  isKeyNamed,
  isOfKind,
  isPlaced,
  isQuantity,
  isResult,
  isSameMeasure,
  type Pair,
  pairsOf,
} from './operands.ts';
import { type StatedNumber, stem } from './tokens.ts';
import { EACH_WORDS, LESS_WORDS, MEAN_WORDS, MORE_WORDS, REST_WORDS, SPAN_WORDS, SUM_WORDS } from './words/lexicon.ts';
import { UNITS } from './words/measures.ts';

type Rule = (clause: Clause, occurrence: Occurrence, stated: StatedNumber, index: FactIndex) => Computed;

/** Recomputes a value that no field holds. The first rule that reaches the stated value proves it. */
export function compute(clause: Clause, occurrence: Occurrence, index: FactIndex): Computed {
  const { stated } = occurrence;
  if (stated.type !== 'number') return null;
  for (const rule of RULES) {
    const found = rule(clause, occurrence, stated, index);
    if (found !== null) return found;
  }
  return null;
}

const amountOf = (leaf: Leaf | undefined): bigint => leaf?.number?.amount ?? 0n;
const unitOfLeaf = ({ number }: Leaf): string | null => number?.unit ?? null;
const sum = (leaves: readonly Leaf[]): bigint => leaves.reduce((total, leaf) => total + amountOf(leaf), 0n);

/** The stems of the words of a clause that stand in the lists. */
const usedCues = ({ words }: Clause, ...lists: ReadonlySet<string>[]): ReadonlySet<string> =>
  new Set(words.filter(({ text }) => lists.some((list) => list.has(text))).map(({ stem }) => stem));

const proof = (
  clause: Clause,
  leaves: readonly Leaf[],
  lists: readonly ListNode[],
  ...cues: ReadonlySet<string>[]
): DerivedNumber => ({
  leaves,
  lists,
  used: new Set([...lists.flatMap(({ own }) => [...own]), ...usedCues(clause, ...cues)]),
});

const ofPair = (clause: Clause, { subject, reference, names }: Pair, ...cues: ReadonlySet<string>[]): DerivedNumber =>
  proof(clause, [subject, reference, ...names], [], ...cues);

/** The results of two fields that the clause compares or adds, each with the words that announce it. */
const PAIR_RESULTS: readonly (readonly [result: (a: bigint, b: bigint) => bigint, ...cues: ReadonlySet<string>[]])[] = [
  [(a, b) => a - b, MORE_WORDS, LESS_WORDS, REST_WORDS],
  [(a, b) => a + b, SUM_WORDS],
];

const REMAINDERS: ReadonlySet<string> = new Set(['left', 'remaining', 'remain', 'rest', 'balance', 'outstanding']);

const hasRest = ({ words }: Clause): boolean => words.some(({ text }) => REMAINDERS.has(text));

/** A rest is no difference of two records, and no computation where a field of the record states it. */
function isOtherRest({ subject, reference, isNamed }: Pair, leaves: readonly Leaf[]): boolean {
  const isOne = isPrefix(subject.records, reference.records) || isPrefix(reference.records, subject.records);
  const isStated = leaves.some(
    (leaf) =>
      isSameMeasure(leaf, subject) &&
      keyWords(leaf.key).some((word) => REMAINDERS.has(word)) &&
      (isPrefix(leaf.records, subject.records) || isPrefix(subject.records, leaf.records)),
  );
  return !isOne || (isStated && !isNamed);
}

/** "€65.00 more than in February", "two points behind", "wages and interest add up to". */
const pairOf: Rule = (clause, occurrence, stated, { leaves }) => {
  const operands = leaves.filter((leaf) => isOfKind(stated, leaf));
  for (const [result, ...cues] of PAIR_RESULTS) {
    const isTotal = cues.includes(SUM_WORDS);
    if (!cues.some((list) => hasCue(clause, list)) || (isTotal && hasRest(clause))) continue;
    const pair = findPair(pairsOf(clause, operands, occurrence), (one) => {
      const found = result(amountOf(one.subject), amountOf(one.reference));
      const isRest = !cues.includes(SUM_WORDS) && !hasCue(clause, MORE_WORDS) && !hasCue(clause, LESS_WORDS);
      return (
        !(isRest && isOtherRest(one, leaves)) &&
        isSameMeasure(one.subject, one.reference) &&
        isResult(occurrence, found, unitOfLeaf(one.subject)) &&
        isDirected(clause, one, found)
      );
    });
    if (pair !== null) return ofPair(clause, pair, ...cues);
  }
  return null;
};

/** The elements of a list that have the values of the clause: all of them, or those that it names. */
function selectionOf(
  clause: Clause,
  list: ListNode,
): { readonly elements: ReadonlySet<string>; readonly by: readonly Leaf[] } {
  const { members: elements } = list;
  const elementsOf = ({ equal }: Occurrence): readonly string[] =>
    equal.flatMap(({ records }) => records.filter((record) => elements.has(record)));
  const filters = [...clause.occurrences, ...clause.flags].filter(
    (one) => ['text', 'flag', 'id', 'day', 'time'].includes(one.stated.type) && elementsOf(one).length > 0,
  );
  const named = filters.filter((one) => new Set(elementsOf(one)).size === 1);
  const enumerated = new Set(named.flatMap(elementsOf));
  const isNaming = enumerated.size > 1;
  const holding = filters.filter((one) => !(isNaming && named.includes(one))).map((one) => new Set(elementsOf(one)));
  const kept = list.elements.filter(
    (element) => holding.every((one) => one.has(element)) && (!isNaming || enumerated.has(element)),
  );
  return {
    elements: new Set(kept),
    by: filters.flatMap(({ equal }) => equal.filter(({ records }) => records.some((record) => elements.has(record)))),
  };
}

/** The columns of a list, each reduced to the elements that the clause selects, without columns that miss one of them. */
function* selectedColumns(
  clause: Clause,
  stated: StatedNumber,
  { lists, leaves }: FactIndex,
): Generator<{ readonly list: ListNode; readonly column: readonly Leaf[]; readonly by: readonly Leaf[] }> {
  for (const list of lists) {
    if (!list.complete || list.elements.length < 2) continue;
    const { elements, by } = selectionOf(clause, list);
    for (const all of columnsOf(list, leaves)) {
      const column = all.filter((leaf) => elements.has(recordOf(leaf)));
      const [first] = column;
      if (first === undefined || column.length !== elements.size || !isOfKind(stated, first)) continue;
      if (column.every((leaf) => isSameMeasure(leaf, first))) yield { list, column, by };
    }
  }
}

const isListNamed = ({ naming }: Clause, { own }: ListNode): boolean =>
  naming.some(({ stem }) => [...own].some((word) => isSynonym(word, stem)));

/** "in total", "on average": the sum or the mean of one field over a whole list, or over its elements with the values of the clause. */
const listSumOf: Rule = (clause, occurrence, stated, index) => {
  const [isSum, isMean] = [hasCue(clause, SUM_WORDS), hasCue(clause, MEAN_WORDS)];
  const isDistinct =
    stated.currency !== null || stated.unit !== null || stated.amounts.every((one) => one > 100n * SCALE);
  if (!isSum && !isMean && (occurrence.equal.length > 0 || !isDistinct)) return null;
  const operands = index.leaves.filter((leaf) => isOfKind(stated, leaf));
  for (const { list, column, by } of selectedColumns(clause, stated, index)) {
    const [first] = column;
    if (first === undefined || column.length < 2 || !(isSum || isMean || isListNamed(clause, list))) continue;
    const count = isMean ? BigInt(column.length) : 1n;
    const isExact = sum(column) % count === 0n || occurrence.qualifier === 'about';
    if (isExact && isKeyNamed(clause, first, operands) && isResult(occurrence, sum(column) / count, unitOfLeaf(first)))
      return proof(clause, [...column, ...by], [list], SUM_WORDS, MEAN_WORDS);
  }
  return null;
};

const isBare = ({ stated }: Occurrence): boolean =>
  stated.type === 'number' && stated.currency === null && !stated.minor && stated.unit !== '%';

/** "four nights at €118.00 come to €472.00": the product of a count and a price, each stated or a field of one record. */
const productOf: Rule = (clause, occurrence, stated, { leaves }) => {
  if (stated.currency === null) return null;
  const counts = clause.occurrences.filter((one) => one !== occurrence && isBare(one));
  const prices = leaves.filter((leaf) => isOfKind(stated, leaf));
  const isMentioned = (leaf: Leaf): boolean =>
    clause.occurrences.some((one) => one !== occurrence && one.equal.includes(leaf)) ||
    (isKeyNamed(clause, leaf, prices) && isPlaced(clause, leaf, prices));
  for (const price of prices.filter(isMentioned))
    for (const count of counts) {
      const [amount = 0n] = count.stated.type === 'number' ? count.stated.amounts : [];
      if (!isCountOf(clause, count, price)) continue;
      if (amount > SCALE && isResult(occurrence, (amountOf(price) * amount) / SCALE, null))
        return {
          ...proof(clause, [price], [], SUM_WORDS, EACH_WORDS),
          explains: count.equal.length === 0 ? [count] : [],
        };
    }
  return null;
};

/** A count with a unit multiplies a price for that unit: "six days" and `demurrage_per_day`. */
const isCountOf = ({ tokens }: Clause, { stated, equal }: Occurrence, price: Leaf): boolean => {
  const unit = stated.type === 'number' ? stated.unit : null;
  if (unit === null || equal.length > 0) return true;
  const forms = [unit, `${unit}ly`, unit === 'day' ? 'daily' : unit, unit === 'year' ? 'annual' : unit].map(stem);
  const isPer = tokens.some(
    ({ text }, at) => text === unit && /^(?:an?|per|each|every)$/u.test(tokens[at - 1]?.text ?? ''),
  );
  return isPer || forms.some((form) => price.full.has(form));
};

/** "above its threshold", "more calls than Jannik": two mentioned fields, compared without a stated difference. */
export function compareOf(clause: Clause, { leaves }: FactIndex): DerivedNumber | null {
  const isCued = hasCue(clause, MORE_WORDS) || hasCue(clause, LESS_WORDS);
  if (!isCued || clause.isNegative) return null;
  const rank = ({ number, moment }: Leaf): bigint =>
    number?.amount ?? (moment?.day == null ? 0n : BigInt(dayNumber(moment.day) * 1_440 + (moment.minutes ?? 0)));
  const operands = leaves.filter((leaf) => isQuantity(leaf) || leaf.moment?.day != null);
  const none: Occurrence = { ...NO_VALUE };
  for (const pair of pairsOf(clause, operands, none)) {
    const isAlike = pair.subject.kind === pair.reference.kind && isSameMeasure(pair.subject, pair.reference);
    const difference = rank(pair.subject) - rank(pair.reference);
    if (pair.isNamed && isAlike && difference !== 0n && isDirected(clause, pair, difference))
      return ofPair(clause, pair, MORE_WORDS, LESS_WORDS, THAN);
  }
  return null;
}

const THAN: ReadonlySet<string> = new Set(['than']);

const MINUTE = 60_000;
const DAY = 86_400_000;

/** "two days after the incident", "the call lasted 15 minutes": the time between two moments. */
const spanOf: Rule = (clause, occurrence, stated, { leaves }) => {
  const [dimension, size = 0] = UNITS.get(stated.unit ?? '') ?? [];
  if (dimension !== 'time' && dimension !== 'nights' && dimension !== 'months') return null;
  const isCompared = hasCue(clause, MORE_WORDS) || hasCue(clause, LESS_WORDS);
  if (!isCompared && !hasCue(clause, SPAN_WORDS)) return null;
  const moments = leaves.filter(({ moment }) => moment !== null && (moment.day === null || moment.day.day !== null));
  const pairs = pairsOf(clause, moments, occurrence);
  const pair = findPair(pairs, (one) => {
    const [from, to] = [one.reference.moment as FactMoment, one.subject.moment as FactMoment];
    const minutes = minutesBetween(from, to, dimension === 'time' && size < DAY);
    return (
      minutes !== null &&
      isSpan(stated, dimension, size, Math.abs(minutes), monthsBetween(from, to), occurrence.qualifier) &&
      isDirected(clause, one, BigInt(minutes))
    );
  });
  return pair === null ? null : ofPair(clause, pair, MORE_WORDS, LESS_WORDS, SPAN_WORDS);
};

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

const RULES: readonly Rule[] = [countOf, listSumOf, spanOf, pairOf, productOf];
