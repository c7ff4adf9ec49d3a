/** Proves how the words of a provider that wants to be left alone are read. */
import { expect, test } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const LATER = 'Sun, 15 Nov 2026 12:00:30 GMT';

test.each([
  ['seconds', { 'retry-after': '30' }, 30_000],
  ['parts of a second, rounded up', { 'retry-after': '0.0015' }, 2],
  [
    'milliseconds, which are more precise than the seconds beside them',
    { 'retry-after-ms': '1500', 'retry-after': '2' },
    1_500,
  ],
  ['milliseconds that are none, for which the seconds count', { 'retry-after-ms': 'soon', 'retry-after': '2' }, 2_000],
  ['a date', { 'retry-after': LATER }, 30_000],
  ["a date, by the provider's own clock", { 'retry-after': LATER, date: 'Sun, 15 Nov 2026 12:00:20 GMT' }, 10_000],
  ['a date that is over', { 'retry-after': LATER, date: 'Sun, 15 Nov 2026 12:01:00 GMT' }, 0],
  ['nothing that can be read', { 'retry-after': 'soon' }, 0],
  ['less than nothing', { 'retry-after': '-5', 'retry-after-ms': '-5' }, 0],
  ['nothing', {}, 0],
] as const)('%s', (_, headers, ms) => {
  expect(retryAfterMs(headers, NOW)).toBe(ms);
});

test.each([null, undefined, 'retry-after: 3', { 'retry-after': 3 }])('headers that are none: %s', (headers) => {
  expect(retryAfterMs(headers, NOW)).toBe(0);
});
