/** Tests how the retry headers of a provider are read. */
import { expect, test } from 'vitest';
import { retryAfterMs } from './provider-fault.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const LATER = 'Sun, 15 Nov 2026 12:00:30 GMT';

test.each([
  ['seconds', { 'retry-after': '30' }, 30_000],
  ['fractions of a second, rounded up', { 'retry-after': '0.0015' }, 2],
  ['milliseconds, preferred to seconds', { 'retry-after-ms': '1500', 'retry-after': '2' }, 1_500],
  ['seconds if the milliseconds are invalid', { 'retry-after-ms': 'soon', 'retry-after': '2' }, 2_000],
  ['a date', { 'retry-after': LATER }, 30_000],
  ["a date, by the provider's own clock", { 'retry-after': LATER, date: 'Sun, 15 Nov 2026 12:00:20 GMT' }, 10_000],
  ['a past date', { 'retry-after': LATER, date: 'Sun, 15 Nov 2026 12:01:00 GMT' }, 0],
  ['an unreadable value', { 'retry-after': 'soon' }, 0],
  ['a negative value', { 'retry-after': '-5', 'retry-after-ms': '-5' }, 0],
  ['no header', {}, 0],
] as const)('%s', (_, headers, ms) => {
  expect(retryAfterMs(headers, NOW)).toBe(ms);
});

test.each([null, undefined, 'retry-after: 3', { 'retry-after': 3 }])('ignores invalid headers: %s', (headers) => {
  expect(retryAfterMs(headers, NOW)).toBe(0);
});
