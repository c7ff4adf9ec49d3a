import { absolute, SCALE } from './amounts.ts';
import { dayNumber } from './dates.ts';
import { columnsOf, type FactIndex, type Leaf } from './facts.ts';

/** With more numbers or moments than this, the check does not rule a number out. */
const PAIRS_MAX = 60;
/** Sizes of units in each other, which convert an amount. */
const FACTORS = '1 7 12 24 30 52 60 100 365 1000 3600 60000 1000000 3600000 86400000'
  .split(' ')
  .map((size) => BigInt(size) * SCALE);

type Operation = (a: bigint, b: bigint) => bigint;
const times: Operation = (a, b) => (a * b) / SCALE;
const quotient: Operation = (a, b) => (b === 0n ? 0n : (a * SCALE) / b);
const share: Operation = (a, b) => (a * b) / (100n * SCALE);
const OPERATIONS: readonly Operation[] = [
  (a, b) => a + b,
  (a, b) => a - b,
  times,
  (a, b) => a + share(a, b),
  (a, b) => a - share(a, b),
  share,
];
/** The results that people round: with two decimals, one, or none. */
const ROUNDED: readonly Operation[] = [quotient, (a, b) => 100n * quotient(a, b), (a, b) => 100n * quotient(a - b, b)];

/**
 * Whether the facts could support a number by any computation that a person might make. A number that they could not
 * support is wrong; a plausible one is not proven by that.
 */
export function plausibility({ leaves, lists }: FactIndex, asked: readonly bigint[]): (amount: bigint) => boolean {
  const numbers = distinct([...asked, ...leaves.flatMap((leaf) => [...inText(leaf), leaf.number?.amount ?? 0n])]);
  const days = distinct(leaves.flatMap(({ moment }) => (moment?.day == null ? [] : [dayNumber(moment.day) * 1_440])));
  const minutes = distinct(leaves.flatMap(minutesOf));
  if (Math.max(numbers.length, days.length, minutes.length) > PAIRS_MAX) return () => true;
  const spans = [days, minutes].flatMap((moments) =>
    moments.flatMap((a) => moments.map((b) => BigInt(Math.abs(a - b)) * SCALE)),
  );
  const found = new Set<bigint>();
  const add = (amount: bigint): void => void found.add(absolute(amount));
  const addRounded = (amount: bigint): void => {
    for (const parts of [100n, 10n, 1n]) add(rounded(absolute(amount), SCALE / parts));
  };
  for (const a of numbers) {
    for (const factor of FACTORS) for (const operation of [times, quotient]) add(operation(a, factor));
    for (const b of numbers) {
      for (const operation of OPERATIONS) add(operation(a, b));
      for (const operation of ROUNDED) addRounded(operation(a, b));
    }
  }
  for (const span of distinct(spans)) for (const factor of FACTORS) add(rounded(quotient(span, factor), SCALE));
  const sums = lists.flatMap((list) => columnsOf(list, leaves).map((column) => absolute(column.reduce(plus, 0n))));
  const counts = lists.map(({ elements }) => BigInt(elements.length) * SCALE);
  const isPart = (amount: bigint): boolean =>
    sums.some((sum) => amount <= sum) || (amount % SCALE === 0n && counts.some((count) => amount <= count));
  return (amount) => found.has(absolute(amount)) || isPart(absolute(amount));
}

const distinct = <T>(values: readonly T[]): readonly T[] => [...new Set(values)];
const plus: (total: bigint, leaf: Leaf) => bigint = (total, { number }) => total + (number?.amount ?? 0n);
const rounded: Operation = (amount, step) => ((amount + step / 2n) / step) * step;

const minutesOf = ({ moment }: Leaf): readonly number[] =>
  moment?.minutes == null ? [] : [moment.minutes + (moment.day === null ? 0 : dayNumber(moment.day) * 1_440)];

/** The numbers inside of dates and texts. */
const inText = ({ value }: Leaf): readonly bigint[] =>
  typeof value === 'string' ? [...value.matchAll(/\d{1,18}/gu)].map(([digits]) => BigInt(digits) * SCALE) : [];
