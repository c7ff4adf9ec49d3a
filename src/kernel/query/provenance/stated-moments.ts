const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const MONTH = MONTHS.join('|');
const DAY_MINUTES = 24 * 60;

/** The dates, times and spans in a text. Days are `YYYY-MM-DD`; times of day and spans are in minutes. */
export interface Moments {
  readonly days: ReadonlySet<string>;
  readonly times: ReadonlySet<number>;
  readonly spans: ReadonlySet<number>;
}

const ISO_DAY = /(?<![\w.-])(\d{4})-(\d{2})-(\d{2})(?![\w-])/gu;
const MONTH_DAY_YEAR = new RegExp(`\\b(${MONTH}) (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})\\b`, 'gu');
const DAY_MONTH_YEAR = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)? (?:of )?(${MONTH}),? (\\d{4})\\b`, 'gu');
const CLOCK_TIME = /(?<![\w:.])(\d{1,2}):(\d{2})(?: ?([ap])\.?m\b)?(?![\w:])/gu;
const HOUR_TIME = /(?<![\w:.])(\d{1,2}) ?([ap])\.?m\b/gu;
const SPAN = /\b(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)[ -](hour|minute)s?\b/gu;
const NUMERALS: readonly string[] = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** Finds dates, times and spans in a folded text. A day without a year is ignored, since the year would be a guess. */
export function momentsIn(text: string): Moments {
  const lower = text.toLowerCase();
  const days = new Set<string>();
  for (const [, year, month, day] of lower.matchAll(ISO_DAY)) days.add(`${year}-${month}-${day}`);
  for (const [, month, day, year] of lower.matchAll(MONTH_DAY_YEAR)) days.add(dayOf(year, month, day));
  for (const [, day, month, year] of lower.matchAll(DAY_MONTH_YEAR)) days.add(dayOf(year, month, day));
  const times = new Set<number>();
  for (const [, hour, minute, half] of lower.matchAll(CLOCK_TIME)) addTime(times, hour, minute, half);
  for (const [, hour, half] of lower.matchAll(HOUR_TIME)) addTime(times, hour, '0', half);
  const spans = new Set<number>();
  for (const [, count, unit] of lower.matchAll(SPAN)) spans.add(numeral(count ?? '') * (unit === 'hour' ? 60 : 1));
  return { days, times, spans };
}

const padTwo = (part: string | number): string => String(part).padStart(2, '0');

const dayOf = (year = '', month = '', day = ''): string =>
  `${year}-${padTwo(MONTHS.indexOf(month) + 1)}-${padTwo(day)}`;

function addTime(times: Set<number>, hour = '', minute = '', half: string | undefined): void {
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'p' ? 12 : 0);
  if (hours < 24 && Number(minute) < 60) times.add(hours * 60 + Number(minute));
}

function numeral(word: string): number {
  if (word === 'a' || word === 'an') return 1;
  const place = NUMERALS.indexOf(word);
  return place < 0 ? Number(word) : place;
}

const MOMENT = /^(?:(\d{4}-\d{2}-\d{2})(?:[T ]|$))?(?:(\d{2}):(\d{2})(?::00(?:\.0{1,9})?)?)?$/u;

/**
 * Whether an ISO 8601 date, time or both, without a zone, follow from the text. The day must be stated. The time must
 * be stated, or be a stated time plus a stated span on the same day.
 */
export function statesMoment({ days, times, spans }: Moments, value: string): boolean {
  const [match, day, hour, minute] = MOMENT.exec(value) ?? [];
  if (match === undefined || match === '') return false;
  if (day !== undefined && !days.has(day)) return false;
  if (hour === undefined) return !/[T ]$/u.test(value);
  const time = Number(hour) * 60 + Number(minute);
  if (time >= DAY_MINUTES) return false;
  return times.has(time) || [...spans].some((span) => span <= time && times.has(time - span));
}
