import { expect, test } from 'vitest';
import { formatCount, formatDuration } from './format.ts';

test('formatCount uses the singular only for one', () => {
  expect([0, 1, 2].map((count) => formatCount(count, 'plan'))).toEqual(['0 plans', '1 plan', '2 plans']);
});

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [61_000, '1 min 1 s'],
  [3_600_000, '1 h'],
  [90_061_000, '1 d 1 h'],
])('formatDuration formats %i ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
