/** Tests that a ruling is cached under the full text, and that errors are not cached. */
import { expect, test } from 'vitest';
import { consideredText, type PolicyRuling } from '../../model/policy/policy-decision.ts';
import { rulingCache } from './cedar-authorizer.ts';

const ruled =
  (effect: PolicyRuling['effect'], errors: readonly string[] = []) =>
  (): PolicyRuling => ({
    effect,
    determining: [],
    reasons: [],
    gates: [],
    errors,
  });

test.each([10, 4_000, 4_001, 20_000])(
  'distinguishes two texts of %i characters that differ in the last one',
  (length) => {
    const known = rulingCache();
    const [one, two] = ['a', 'b'].map((last) => `${'x'.repeat(length - 1)}${last}`) as [string, string];
    const first = known.get(one, ruled('permit'));
    const second = known.get(two, ruled('forbid'));
    expect([first.effect, second.effect]).toEqual(['permit', 'forbid']);
    expect(consideredText(first)).not.toBe(consideredText(second));
    expect(known.get(one, ruled('forbid'))).toBe(first);
    expect(consideredText(rulingCache().get(one, ruled('permit')))).toBe(consideredText(first));
    expect(consideredText(first)?.length).toBeLessThanOrEqual(4_000);
  },
);

test('does not cache errors', () => {
  const known = rulingCache();
  expect(known.get('a', ruled('forbid', ['out of memory'])).effect).toBe('forbid');
  expect(known.get('a', ruled('permit')).effect).toBe('permit');
});

test('keeps a frequently used ruling and drops an unused one', () => {
  const known = rulingCache();
  const often = known.get('often', ruled('permit'));
  const once = known.get('once', ruled('permit'));
  for (let at = 0; at < 3_000; at += 1) {
    known.get(`other ${at}`, ruled('permit'));
    if (at % 100 === 0) expect(known.get('often', ruled('forbid'))).toBe(often);
  }
  expect(known.get('once', ruled('permit'))).not.toBe(once);
});
