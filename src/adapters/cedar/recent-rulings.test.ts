/** A ruling is found again under all that was looked at, and what went wrong is not. */
import { expect, test } from 'vitest';
import type { PolicyRuling } from '../../model/policy-decision.ts';
import { recentRulings } from './recent-rulings.ts';

const saying =
  (effect: PolicyRuling['effect'], errors: readonly string[] = []) =>
  (): PolicyRuling => ({
    effect,
    determining: [],
    reasons: [],
    gates: [],
    errors,
  });

test.each([10, 4_000, 4_001, 20_000])('two texts of %i characters that differ in the last one are two', (length) => {
  const known = recentRulings();
  const [one, two] = ['a', 'b'].map((last) => `${'x'.repeat(length - 1)}${last}`) as [string, string];
  const first = known.get(one, saying('permit'));
  const second = known.get(two, saying('forbid'));
  expect([first.ruling.effect, second.ruling.effect]).toEqual(['permit', 'forbid']);
  expect(first.text).not.toBe(second.text);
  expect(known.get(one, saying('forbid'))).toBe(first);
  expect(recentRulings().get(one, saying('permit')).text).toBe(first.text);
  expect(first.text.length).toBeLessThanOrEqual(4_000);
});

test('what went wrong may go right the next time', () => {
  const known = recentRulings();
  expect(known.get('a', saying('forbid', ['out of memory'])).ruling.effect).toBe('forbid');
  expect(known.get('a', saying('permit')).ruling.effect).toBe('permit');
});

test('what is asked about again and again is kept, and the rest is not for ever', () => {
  const known = recentRulings();
  const often = known.get('often', saying('permit'));
  const once = known.get('once', saying('permit'));
  for (let at = 0; at < 3_000; at += 1) {
    known.get(`other ${at}`, saying('permit'));
    if (at % 100 === 0) expect(known.get('often', saying('forbid'))).toBe(often);
  }
  expect(known.get('once', saying('permit'))).not.toBe(once);
});
