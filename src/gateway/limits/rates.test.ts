/** A rate limit holds over every window, permits a burst, and delays no call longer than necessary. */
import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { createRates } from './rates.ts';

const RATE = { calls: 3, per_ms: 900 };

test('permits a burst at once, then one call per interval', () => {
  const rates = createRates();
  const places = Array.from({ length: 6 }, () => rates.take('pay', RATE, 1_000));
  expect(places).toEqual([1_000, 1_000, 1_000, 1_300, 1_600, 1_900]);
});

test('next() reserves nothing', () => {
  const rates = createRates();
  for (let taken = 0; taken < 3; taken += 1) rates.take('pay', RATE, 1_000);
  expect([rates.next('pay', RATE, 1_000), rates.next('pay', RATE, 1_000)]).toEqual([1_300, 1_300]);
  expect(rates.take('pay', RATE, 1_000)).toBe(1_300);
});

test('counts each name separately', () => {
  const rates = createRates();
  for (let taken = 0; taken < 3; taken += 1) rates.take('pay', RATE, 0);
  expect(rates.take('look', RATE, 0)).toBe(0);
});

test('saves up no more than one burst', () => {
  const rates = createRates();
  rates.take('pay', RATE, 0);
  expect(Array.from({ length: 4 }, () => rates.take('pay', RATE, 100_000))).toEqual([
    100_000, 100_000, 100_000, 100_300,
  ]);
});

const rate = fc.record({ calls: fc.integer({ min: 1, max: 9 }), per_ms: fc.integer({ min: 1, max: 5_000 }) });
test.prop([rate, fc.array(fc.nat(2_000), { maxLength: 80 })])(
  'permits at most two bursts in any window',
  (limit, gaps) => {
    const rates = createRates();
    let now = 0;
    const places = gaps.map((gap) => {
      now += gap;
      const at = rates.take('pay', limit, now);
      expect(at).toBeGreaterThanOrEqual(now);
      return at;
    });
    for (const start of places) {
      const within = places.filter((at) => at >= start && at < start + limit.per_ms).length;
      expect(within).toBeLessThanOrEqual(2 * limit.calls);
    }
  },
);
