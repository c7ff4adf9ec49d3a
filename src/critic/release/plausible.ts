import { absolute, SCALE } from './amounts.ts';
import { dayNumber } from './dates.ts';
import { columnsOf, type FactIndex, type Leaf, type ListNode } from './facts.ts';

/** With more numbers, dates or list columns than this, the check does not rule a number out. */
const PAIRS_MAX = 60;
const FACTORS = '1 100 1000 60 3600 24 7 12 52 365 1000000 60000 3600000 86400000'.split(' ').map(BigInt);

type Add = (amount: bigint) => void;

/**
 * Every number that the facts could support, by any computation that a person might make. A number outside of it is
 * wrong; a number inside of it is not proven by that. Null if the facts hold too many numbers to say.
 */
export function plausibleNumbers({ leaves, lists }: FactIndex, asked: readonly bigint[]): ReadonlySet<bigint> | null {
  const numbers = distinct([...asked, ...leaves.flatMap(({ number }) => (number === null ? [] : [number.amount]))]);
  const days = distinct(leaves.flatMap(({ moment }) => (moment?.day == null ? [] : [dayNumber(moment.day)])));
  const times = distinct(leaves.flatMap(minutesOf));
  if (Math.max(numbers.length, days.length, times.length, lists.length) > PAIRS_MAX) return null;
  const found = new Set<bigint>();
  const add: Add = (amount) => found.add(absolute(amount));
  for (const amount of numbers) addConversions(amount, add);
  for (const [place, a] of numbers.entries()) for (const b of numbers.slice(place + 1)) addPair(a, b, add);
  for (const list of lists) addList(list, leaves, add);
  for (const a of days) for (const b of days) addDays(Math.abs(a - b), add);
  for (const a of times) for (const b of times) addMinutes(Math.abs(a - b), add);
  for (const leaf of leaves) addParts(leaf, add);
  return found;
}

const distinct = <T>(values: readonly T[]): readonly T[] => [...new Set(values)];

const minutesOf = ({ moment }: Leaf): readonly number[] =>
  moment?.minutes == null ? [] : [moment.minutes + (moment.day === null ? 0 : dayNumber(moment.day) * 1_440)];

/** An amount in other units, and the rest to a hundred or to one. */
function addConversions(amount: bigint, add: Add): void {
  for (const factor of FACTORS) {
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

/** Sums, differences, products, quotients and percentages of two amounts. */
function addPair(a: bigint, b: bigint, add: Add): void {
  const share = (a * b) / (100n * SCALE);
  for (const amount of [a + b, a - b, (a * b) / SCALE, share, a + share, a - share, b + share, b - share]) add(amount);
  for (const part of [a, b, a - b])
    for (const base of [a, b])
      if (base !== 0n) for (const percent of roundings((part * 100n * SCALE) / base)) add(percent);
  if (b !== 0n && (a * SCALE) % b === 0n) add((a * SCALE) / b);
  if (a !== 0n && (b * SCALE) % a === 0n) add((b * SCALE) / a);
}

const addDays = (days: number, add: Add): void => {
  for (const span of [days, days + 1, days / 7, days / 30.4, days / 365.25]) add(BigInt(Math.round(span)) * SCALE);
};

const addMinutes = (minutes: number, add: Add): void => {
  for (const span of [minutes, Math.floor(minutes / 60), minutes % 60]) add(BigInt(span) * SCALE);
  add((BigInt(minutes) * SCALE) / 60n);
};

/** The numbers inside of dates and texts. */
function addParts({ value, moment }: Leaf, add: Add): void {
  if (moment?.day != null)
    for (const part of [moment.day.year, moment.day.month, moment.day.day]) add(BigInt(part ?? 0) * SCALE);
  if (typeof value === 'string') for (const [digits] of value.matchAll(/\d{1,18}/gu)) add(BigInt(digits) * SCALE);
}

/** An amount as people state it: with two decimals, one, or none. */
const roundings = (amount: bigint): readonly bigint[] =>
  [100n, 10n, 1n].map((parts) => ((absolute(amount) + SCALE / (2n * parts)) / (SCALE / parts)) * (SCALE / parts));

const amountOf = (leaf: Leaf | undefined): bigint => leaf?.number?.amount ?? 0n;
const sumOf = (leaves: readonly Leaf[]): bigint => leaves.reduce((sum, leaf) => sum + amountOf(leaf), 0n);

/** Counts of a list, of its elements by each value, and sums and averages of its fields, in all and by each value. */
function addList(list: ListNode, leaves: readonly Leaf[], add: Add): void {
  add(BigInt(list.elements.length) * SCALE);
  const { members: elements } = list;
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
      add(a.reduce((sum, leaf, at) => sum + (amountOf(leaf) * amountOf(b[at])) / SCALE, 0n));
      add(sumOf(a) - sumOf(b));
    }
  for (const column of columns) {
    add(sumOf(column));
    if (column.length > 0) for (const mean of roundings(sumOf(column) / BigInt(column.length))) add(mean);
    for (const group of groups.values())
      add(sumOf(column.filter(({ records }) => records.some((one) => group.has(one)))));
  }
}
