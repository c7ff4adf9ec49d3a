import { MONTHS } from './words/measures.ts';

/** A calendar day as a sentence or a fact states it; a sentence may leave out the year, or state month and year only. */
export interface Day {
  readonly year: number | null;
  readonly month: number;
  readonly day: number | null;
}

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/u;
const CLOCK = /^(\d{2}):(\d{2})(?::\d{2})?$/u;

/** A fact's moment: its day, its time of day in minutes, or both. */
export interface FactMoment {
  readonly day: Required<Day> | null;
  readonly minutes: number | null;
  /** The offset from UTC as the fact writes it: times with different offsets do not compare. */
  readonly offset: string;
}

/** Reads an ISO 8601 date, date with time, or time of a fact; null for any other text. */
export function factMoment(text: string): FactMoment | null {
  const iso = ISO.exec(text);
  if (iso !== null) {
    const [, year, month, day, hour, minute, offset = ''] = iso;
    const minutes = hour === undefined ? null : Number(hour) * 60 + Number(minute);
    return { day: { year: Number(year), month: Number(month), day: Number(day) }, minutes, offset };
  }
  const month = /^(\d{4})-(0[1-9]|1[0-2])$/u.exec(text);
  if (month !== null)
    return { day: { year: Number(month[1]), month: Number(month[2]), day: null }, minutes: null, offset: '' };
  const clock = CLOCK.exec(text);
  return clock === null ? null : { day: null, minutes: Number(clock[1]) * 60 + Number(clock[2]), offset: '' };
}

/** Whether the day of a sentence is the day of a fact, as far as the sentence states it. */
export const isSameDay = (stated: Day, fact: Day): boolean =>
  stated.month === fact.month &&
  (stated.day === null || stated.day === fact.day) &&
  (stated.year === null || stated.year === fact.year);

/** The number of days since 1970-01-01, by the proleptic Gregorian calendar (days from civil). */
export function dayNumber({ year, month, day }: Day): number {
  const y = (year ?? 1970) - (month <= 2 ? 1 : 0);
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + (day ?? 1) - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** The weekday of a day, 0 for Sunday. */
export const weekdayOf = (day: Day): number => (((dayNumber(day) + 4) % 7) + 7) % 7;

const NAME = [...MONTHS.keys()].sort((a, b) => b.length - a.length).join('|');
const DAY = '(\\d{1,2})(?:st|nd|rd|th|er|\\.)?';
const FORMS: readonly (readonly [RegExp, (parts: readonly (string | undefined)[]) => Day | null])[] = [
  [/^(\d{4})-(\d{2})-(\d{2})(?!\d)/u, ([, y, m, d]) => day(y, Number(m), d)],
  [/^(\d{4})\/(\d{2})\/(\d{2})(?!\d)/u, ([, y, m, d]) => day(y, Number(m), d)],
  [/^(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)/u, ([, d, m, y]) => day(y, Number(m), d)],
  [/^(\d{1,2})\/(\d{1,2})\/(\d{4})(?!\d)/u, ([, a, b, y]) => slashed(Number(a), Number(b), y)],
  [
    new RegExp(`^${DAY}\\s+(?:of\\s+|de\\s+)?(${NAME})\\b\\.?(?:,?\\s+(?:de\\s+)?(\\d{4})\\b)?`, 'iu'),
    ([, d, m, y]) => day(y, month(m), d),
  ],
  [new RegExp(`^(${NAME})\\b\\.?\\s+${DAY}(?!\\d)(?:,?\\s+(\\d{4})\\b)?`, 'iu'), ([, m, d, y]) => day(y, month(m), d)],
  [
    new RegExp(`^(${NAME})\\b\\.?,?\\s+(\\d{4})\\b`, 'iu'),
    ([, m, y]) => ({ year: Number(y), month: month(m), day: null }),
  ],
];

/** Reads a date at the beginning of a text: the day and its length. `ambiguous` for 03/05/2026, which two locales read differently. */
export function readDay(text: string): { readonly day: Day | 'ambiguous'; readonly length: number } | null {
  for (const [form, build] of FORMS) {
    const match = form.exec(text);
    if (match === null) continue;
    const found = build(match);
    return { day: found ?? 'ambiguous', length: match[0].length };
  }
  return null;
}

/** Reads a month that stands alone, such as "in April". "May" and "March" are also words, so a preposition must precede them. */
export function readMonth(text: string, before: string): { readonly day: Day; readonly length: number } | null {
  const name = /^[A-Z]\p{L}+/u.exec(text)?.[0] ?? '';
  const number = MONTHS.get(name.toLowerCase());
  const isOpen =
    name.length > 3 || name === 'May' || /^(?:in|for|of|since|until|by|last|from|through|to)$/iu.test(before);
  const isSure = !/^(?:may|march|mars|mai)$/iu.test(name) || before !== '';
  return number === undefined || !isOpen || !isSure
    ? null
    : { day: { year: null, month: number, day: null }, length: name.length };
}

/** Reads a time of day at the beginning of a text, in minutes. */
export function readTime(text: string): { readonly minutes: number; readonly length: number } | null {
  const match = /^(\d{1,2})(?:[:.h](\d{2}))?(?:\s?([ap])\.?m\b\.?| Uhr\b)?(?:\s(?:UTC|GMT)\b)?/iu.exec(text);
  if (match === null) return null;
  const [all, hour, minute, half] = match;
  if (half === undefined && (minute === undefined || (!all.includes(':') && !/Uhr|h/u.test(all)))) return null;
  if (half !== undefined && (Number(hour) < 1 || Number(hour) > 12)) return null;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  const minutes = hours * 60 + Number(minute ?? 0);
  return hours < 24 && Number(minute ?? 0) < 60 ? { minutes, length: all.length } : null;
}

const month = (name = ''): number => MONTHS.get(name.toLowerCase()) ?? 0;

function day(year: string | undefined, monthNumber: number, dayText = ''): Day | null {
  const number = Number(dayText);
  const valid = monthNumber >= 1 && monthNumber <= 12 && number >= 1 && number <= 31;
  return valid ? { year: year === undefined ? null : Number(year), month: monthNumber, day: number } : null;
}

/** `15/05/2026` and `05/15/2026` have one reading each, `03/05/2026` has two. */
function slashed(a: number, b: number, year = ''): Day | null {
  if (a > 12 && b <= 12) return day(year, b, String(a));
  if (b > 12 && a <= 12) return day(year, a, String(b));
  return a === b ? day(year, a, String(b)) : null;
}

/** Whole months from the first day of a term to its last, so that 1 February to 31 January is twelve. */
export function monthsBetween(a: FactMoment, b: FactMoment): number {
  const [from, to] = [a.day, b.day];
  if (from === null || to === null || from.day === null || to.day === null) return -1;
  const [first, last] = dayNumber(from) <= dayNumber(to) ? [from, to] : [to, from];
  const months = ((last.year ?? 0) - (first.year ?? 0)) * 12 + last.month - first.month;
  if (last.day === first.day) return months;
  const isTermEnd = first.day === 1 ? (last.day ?? 0) >= 28 : last.day === (first.day ?? 0) - 1;
  return isTermEnd ? months + (first.day === 1 ? 1 : 0) : -1;
}
