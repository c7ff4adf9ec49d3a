import { isNear, SCALE } from './amounts.ts';
import type { Computed } from './count.ts';
import { dayNumber, type FactMoment, monthsBetween } from './dates.ts';
import type { FactIndex } from './facts.ts';
import type { Clause, Occurrence } from './occurrence.ts';
import { findPair, hasCue, isDirected, pairsOf } from './operands.ts';
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
