import { isNear, SCALE } from './amounts.ts';
import type { Computed } from './count.ts';
import { dayNumber, type FactMoment, monthsBetween } from './dates.ts';
import { type FactIndex, isSynonym, type Leaf } from './facts.ts';
import type { Clause, Occurrence } from './occurrence.ts';
import { findPair, hasCue, isDirected, type Pair, pairsOf } from './operands.ts';
import type { StatedNumber } from './tokens.ts';
import { LESS_WORDS, MORE_WORDS, SPAN_WORDS } from './words/lexicon.ts';
import { UNITS } from './words/measures.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

/** "two days after the incident", "the call lasted 15 minutes": the time between two moments. */
export function spanOf(clause: Clause, occurrence: Occurrence, stated: StatedNumber, { leaves }: FactIndex): Computed {
  const [dimension, size = 0] = UNITS.get(stated.unit ?? '') ?? [];
  if (dimension !== 'time' && dimension !== 'nights' && dimension !== 'months') return null;
  const isCompared = hasCue(clause, MORE_WORDS) || hasCue(clause, LESS_WORDS);
  if (!isCompared && !hasCue(clause, SPAN_WORDS)) return null;
  const moments = leaves.filter(({ moment }) => moment !== null && (moment.day === null || moment.day.day !== null));
  const pairs = [...pairsOf(clause, moments, occurrence), ...(isCompared ? [] : onlyPair(clause, moments))];
  const pair = findPair(pairs, (one) => {
    const [from, to] = [one.reference.moment as FactMoment, one.subject.moment as FactMoment];
    const minutes = minutesBetween(from, to, dimension === 'time' && size < DAY);
    return (
      minutes !== null &&
      isSpan(stated, dimension, size, Math.abs(minutes), monthsBetween(from, to), occurrence.qualifier) &&
      isDirected(clause, one, BigInt(minutes))
    );
  });
  if (pair === null) return null;
  return {
    leaves: [pair.subject, pair.reference, ...pair.names],
    lists: [],
    used: usedCues(clause, MORE_WORDS, LESS_WORDS, SPAN_WORDS),
  };
}

/** The stems of the words of a clause that stand in the lists. */
export const usedCues = ({ words }: Clause, ...lists: ReadonlySet<string>[]): ReadonlySet<string> =>
  new Set(words.filter(({ text }) => lists.some((list) => list.has(text))).map(({ stem }) => stem));

/** Whether a field is a beginning or an end, such as `check_in` and `check_out`. */
const isEnd = ({ key }: Leaf): boolean =>
  /^(?:check_?(?:in|out)|start(?:s|ed)?|end(?:s|ed)?|from|to|begins?|finish(?:ed)?|pick(?:ed)?_?up|drop_?off)(?:_(?:at|on|date|time))?$/iu.test(
    key,
  );

/** The two moments of an object that has no others, such as the beginning and the end of a call. */
function onlyPair(clause: Clause, moments: readonly Leaf[]): readonly Pair[] {
  const parent = ({ ref, pointer }: Leaf): string => `${ref}${pointer.slice(0, pointer.lastIndexOf('/'))}`;
  const isPathNamed = ({ path }: Leaf): boolean =>
    path.size === 0 || clause.naming.some(({ stem: word }) => [...path].some((one) => isSynonym(one, word)));
  const groups = new Map<string, readonly Leaf[]>();
  for (const leaf of moments) groups.set(parent(leaf), [...(groups.get(parent(leaf)) ?? []), leaf]);
  const ends = [...groups.values()].map((group) => (group.length === 2 ? group : group.filter(isEnd)));
  const pairs = ends.filter(({ length }) => length === 2);
  const named = pairs.length === 1 ? pairs : pairs.filter((group) => group.every(isPathNamed));
  const [[a, b] = []] = named;
  if (a === undefined || b === undefined || named.length > 1) return [];
  return [{ subject: a, reference: b, names: [], isNamed: true, isOrdered: false }];
}

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
