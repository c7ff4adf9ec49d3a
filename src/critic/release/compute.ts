import { absolute, isNear, SCALE } from './amounts.ts';
import type { Clause, Occurrence } from './clause.ts';
import { dayNumber } from './dates.ts';
import { derive } from './derive.ts';
import { conceptOf, type FactIndex, type Leaf, type ListNode } from './facts.ts';
import { SUM_WORDS } from './lexicon.ts';
import { type StatedNumber, stem } from './tokens.ts';

/** The result of recomputing a number: proven with the leaves it rests on, contradicted, or not computable. */
export type Computed =
  | {
      readonly ruling: 'proven';
      readonly leaves: readonly Leaf[];
      readonly lists: readonly ListNode[];
      readonly used: ReadonlySet<string>;
    }
  | { readonly ruling: 'refused'; readonly reason: string }
  | null;

const isCounted = (list: ListNode, stems: ReadonlySet<string>): boolean =>
  [...list.own].some((word) => stems.has(word)) || [...list.own].some((word) => stems.has(conceptOf(word)));

/** Recomputes a number that is no value of a field: a count, a sum, a difference of two days. */
export function compute(clause: Clause, occurrence: Occurrence, index: FactIndex): Computed {
  const { stated } = occurrence;
  if (stated.type !== 'number') return null;
  const isBare = stated.currency === null && !stated.minor && stated.unit === null;
  const counted = isBare ? countOf(clause, occurrence, stated, index) : null;
  return counted ?? sumOf(clause, occurrence, stated, index) ?? derive(clause, occurrence, index.leaves);
}

/** "three invoices", "two paid invoices": the elements of a whole list, or those that hold the values of the clause. */
function countOf(clause: Clause, occurrence: Occurrence, stated: StatedNumber, { lists, leaves }: FactIndex): Computed {
  const after = clause.words.filter(({ at }) => at >= occurrence.to && at < occurrence.to + 5);
  const stems = new Set(after.flatMap((word) => [word.stem, conceptOf(word.stem)]));
  const counted = lists.find((one) => !one.hidden && isCounted(one, stems));
  const list = counted ?? enumerated(clause, occurrence, lists);
  if (list === undefined || !list.complete) return null;
  const texts = clause.occurrences.filter((other) => other !== occurrence);
  const isOf = (leaf: Leaf): boolean => list.elements.some((element) => leaf.records.includes(element));
  const filters = texts.filter(({ equal }) => equal.some(isOf));
  if (filters.length < texts.length) return null;
  const elementsOf = ({ equal }: Occurrence): readonly string[] =>
    list.elements.filter((element) => equal.some(({ records }) => records.includes(element)));
  const isCount = (count: number): boolean => stated.amounts.includes(BigInt(count) * SCALE);
  const proven = (of: readonly Occurrence[]): Computed => ({
    ruling: 'proven',
    leaves: of.flatMap(({ equal }) => equal.filter(isOf)),
    lists: [list],
    used: new Set(list.own),
  });
  const before = clause.tokens.slice(Math.max(0, occurrence.from - 2), occurrence.from).map(({ text }) => text);
  if (before[0] === 'of' || before[1] === 'of')
    return isCount(list.elements.length)
      ? proven([])
      : counted === undefined
        ? null
        : { ruling: 'refused', reason: 'the list has another length' };
  const named = filters.filter((filter) => elementsOf(filter).length === 1);
  const enumeratedElements = new Set(named.flatMap(elementsOf));
  const isNaming = enumeratedElements.size > 1;
  const shared = isNaming ? filters.filter((filter) => !named.includes(filter)) : filters;
  const holding = list.elements.filter((element) => shared.every((filter) => elementsOf(filter).includes(element)));
  if (isNaming && !named.every((filter) => elementsOf(filter).every((element) => holding.includes(element))))
    return null;
  if (isCount(holding.length) && (!isNaming || enumeratedElements.size === holding.length))
    return proven(isNaming ? [] : filters);
  if (filters.some(({ stated: { type } }) => type !== 'text')) return null;
  if (isCount(list.elements.length) || counted === undefined || occurrence.equal.length > 0 || isNaming) return null;
  return {
    ruling: 'refused',
    reason: `the facts list ${holding.length}, not ${String((stated.amounts[0] ?? 0n) / SCALE)}`,
  };
}

/** The list whose elements the clause enumerates: "the three drivers are A, B and C". */
const enumerated = (clause: Clause, occurrence: Occurrence, lists: readonly ListNode[]): ListNode | undefined => {
  const others = clause.occurrences.filter((other) => other !== occurrence && other.stated.type === 'text');
  return others.length < 2
    ? undefined
    : lists.find(({ elements }) =>
        others.every(({ equal }) => equal.some(({ records }) => records.some((record) => elements.includes(record)))),
      );
};

/** "in total": the sum of one field over a whole list. */
function sumOf(clause: Clause, occurrence: Occurrence, stated: StatedNumber, index: FactIndex): Computed {
  const word = clause.words.find(
    ({ text, at }) => SUM_WORDS.has(text) || (/^comes?$/u.test(text) && clause.tokens[at + 1]?.text === 'to'),
  );
  if (word === undefined) return null;
  const texts = clause.occurrences.filter(({ stated: { type } }) => type === 'text');
  for (const list of index.lists) {
    if (!list.complete || list.elements.length < 2) continue;
    const holds = (leaf: Leaf): boolean =>
      texts.every(({ equal }) => equal.some(({ records }) => records.includes(leaf.records.at(-1) ?? '')));
    for (const column of columnsOf(list, index.leaves)) {
      const leaves = column.filter(holds);
      const sum = leaves.reduce((total, { number }) => total + (number?.amount ?? 0n), 0n);
      const first = leaves[0]?.number;
      const currencies = new Set(leaves.map(({ number }) => number?.currencies?.join() ?? ''));
      if (first == null || currencies.size > 1 || column.length !== list.elements.length || leaves.length < 2) continue;
      if (stated.currency !== null && first.currencies?.includes(stated.currency) !== true) continue;
      if (stated.unit !== null && stated.unit !== first.unit) continue;
      const isSum = stated.amounts.some((one) => one === sum || (occurrence.qualifier === 'about' && isNear(one, sum)));
      if (isSum)
        return {
          ruling: 'proven',
          leaves: [...leaves, ...texts.flatMap(({ equal }) => equal)],
          lists: [list],
          used: new Set([stem(word.text), ...list.own, ...(leaves[0]?.own ?? []), 'all', 'up']),
        };
    }
  }
  return null;
}

/** The numeric fields of a list: for each key, its leaves in the elements. */
function columnsOf(list: ListNode, leaves: readonly Leaf[]): readonly (readonly Leaf[])[] {
  const columns = new Map<string, Leaf[]>();
  const elements = new Set(list.elements);
  for (const leaf of leaves)
    if (leaf.number !== null && elements.has(leaf.records.at(-1) ?? ''))
      columns.set(leaf.key, [...(columns.get(leaf.key) ?? []), leaf]);
  return [...columns.values()];
}

const PAIRS_MAX = 60;

/**
 * Every number that the facts could support, by any computation that a person might make. A number outside of it is
 * wrong; a number inside of it is not proven by that.
 */
export function plausibleNumbers({ leaves, lists }: FactIndex, asked: readonly bigint[]): readonly bigint[] {
  const found = new Set<bigint>();
  const add = (amount: bigint): void => {
    found.add(absolute(amount));
  };
  const numbers = [
    ...new Set([...asked, ...leaves.flatMap(({ number }) => (number === null ? [] : [number.amount]))]),
  ].slice(0, PAIRS_MAX);
  for (const amount of numbers) {
    for (const factor of [
      1n,
      100n,
      1_000n,
      60n,
      3_600n,
      24n,
      7n,
      12n,
      52n,
      1_000_000n,
      365n,
      60_000n,
      3_600_000n,
      86_400_000n,
    ]) {
      add(amount * factor);
      if (amount % factor === 0n || factor === 100n || factor === 1_000n) add(amount / factor);
    }
    for (const part of [60n, 3_600n, 24n]) {
      add((absolute(amount) / SCALE / part) * SCALE);
      add(((absolute(amount) / SCALE) % part) * SCALE);
    }
    add(100n * SCALE - amount);
    add(SCALE - amount);
  }
  for (const [place, a] of numbers.entries())
    for (const b of numbers.slice(place + 1)) {
      add(a + b);
      add(a - b);
      add((a * b) / SCALE);
      for (const share of [(a * b) / (100n * SCALE)])
        for (const base of [a, b]) for (const sum of [base + share, base - share, share]) add(sum);
      for (const [part, whole] of [
        [a, b],
        [b, a],
        [a - b, a],
        [a - b, b],
      ] as const)
        if (whole !== 0n) for (const share of roundings((part * 100n * SCALE) / whole)) add(share);
      if (b !== 0n && (a * SCALE) % b === 0n) add((a * SCALE) / b);
      if (a !== 0n && (b * SCALE) % a === 0n) add((b * SCALE) / a);
    }
  for (const list of lists) addList(list, leaves, add);
  const days = [...new Set(leaves.flatMap(({ moment }) => (moment?.day == null ? [] : [dayNumber(moment.day)])))].slice(
    0,
    PAIRS_MAX,
  );
  for (const a of days)
    for (const b of days) {
      const between = Math.abs(a - b);
      for (const span of [
        between,
        between + 1,
        Math.round(between / 7),
        Math.round(between / 30.4),
        Math.round(between / 365.25),
      ])
        add(BigInt(span) * SCALE);
    }
  const times = [...new Set(leaves.flatMap(({ moment }) => (moment?.minutes == null ? [] : [moment.minutes])))].slice(
    0,
    PAIRS_MAX,
  );
  for (const a of times)
    for (const b of times)
      for (const span of [Math.abs(a - b), Math.floor(Math.abs(a - b) / 60), Math.abs(a - b) % 60])
        add(BigInt(span) * SCALE);
  for (const { value, moment } of leaves) {
    if (moment?.day != null)
      for (const part of [moment.day.year, moment.day.month, moment.day.day]) add(BigInt(part ?? 0) * SCALE);
    if (typeof value === 'string') for (const [digits] of value.matchAll(/\d{1,18}/gu)) add(BigInt(digits) * SCALE);
  }
  return [...found];
}

/** An amount as people state it: with two decimals, one, or none. */
const roundings = (amount: bigint): readonly bigint[] =>
  [100n, 10n, 1n].map((parts) => ((absolute(amount) + SCALE / (2n * parts)) / (SCALE / parts)) * (SCALE / parts));

/** Counts of a list, of its elements by each value, and sums and averages of its fields, whole and by each value. */
function addList(list: ListNode, leaves: readonly Leaf[], add: (amount: bigint) => void): void {
  add(BigInt(list.elements.length) * SCALE);
  const elements = new Set(list.elements);
  const inside = leaves.filter(({ records }) => records.some((record) => elements.has(record)));
  const groups = new Map<string, Set<string>>();
  for (const leaf of inside) {
    const element = leaf.records.find((record) => elements.has(record)) ?? '';
    const group = `${leaf.key}=${JSON.stringify(leaf.value)}`;
    groups.set(group, (groups.get(group) ?? new Set()).add(element));
  }
  for (const group of groups.values()) {
    add(BigInt(group.size) * SCALE);
    add(BigInt(list.elements.length - group.size) * SCALE);
  }
  const columns = columnsOf(list, inside);
  for (const a of columns)
    for (const b of columns) {
      if (a === b || a.length !== b.length) continue;
      add(
        a.reduce(
          (total, { number }, at) => total + ((number?.amount ?? 0n) * (b[at]?.number?.amount ?? 0n)) / SCALE,
          0n,
        ),
      );
      add(a.reduce((total, { number }, at) => total + (number?.amount ?? 0n) - (b[at]?.number?.amount ?? 0n), 0n));
    }
  for (const column of columns) {
    const sum = column.reduce((total, { number }) => total + (number?.amount ?? 0n), 0n);
    add(sum);
    if (column.length > 0) for (const mean of roundings(sum / BigInt(column.length))) add(mean);
    for (const group of groups.values())
      add(
        column
          .filter(({ records }) => records.some((record) => group.has(record)))
          .reduce((total, { number }) => total + (number?.amount ?? 0n), 0n),
      );
  }
}
