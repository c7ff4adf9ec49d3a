import { absolute, SCALE } from './amounts.ts';
import { dayNumber } from './dates.ts';
import { columnsOf, type FactIndex, type Leaf, type ListNode } from './facts.ts';

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
  const times = [
    ...new Set(
      leaves.flatMap(({ moment }) =>
        moment?.minutes == null ? [] : [moment.minutes + (moment.day === null ? 0 : dayNumber(moment.day) * 1_440)],
      ),
    ),
  ].slice(0, PAIRS_MAX);
  for (const a of times)
    for (const b of times) {
      const between = Math.abs(a - b);
      for (const span of [between, Math.floor(between / 60), between % 60]) add(BigInt(span) * SCALE);
      add((BigInt(between) * SCALE) / 60n);
    }
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
