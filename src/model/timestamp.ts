import { Fault } from './fault.ts';
import type { Instant, Timestamp } from './name.ts';

const DAY_MS = 86_400_000;
/** The last instant that four digits of a year can write. */
const LAST_INSTANT = 253_402_300_799_999;

/**
 * An instant as ISO-8601 in UTC. Written out here because a decision record is derived in rooms that may not
 * touch `Date`. Days are turned into a date by counting eras of 400 years, each 146,097 days long, from 1 March 0000.
 */
export function toTimestamp(instant: Instant): Timestamp {
  if (!Number.isSafeInteger(instant) || instant < 0 || instant > LAST_INSTANT) {
    throw new Fault('input_invalid', `${instant} is not a time between 1970 and 9999`);
  }
  const days = Math.floor(instant / DAY_MS) + 719_468;
  const era = Math.floor(days / 146_097);
  const dayOfEra = days - era * 146_097;
  const leapless =
    dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor(leapless / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}T${timeOfDay(instant % DAY_MS)}Z`;
}

function timeOfDay(ms: number): string {
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60];
  const [seconds, fraction] = [Math.floor(ms / 1_000) % 60, ms % 1_000];
  const whole = `${pad(hours, 2)}:${pad(minutes, 2)}:${pad(seconds, 2)}`;
  return fraction === 0 ? whole : `${whole}.${pad(fraction, 3)}`;
}

const pad = (value: number, digits: number): string => String(value).padStart(digits, '0');
