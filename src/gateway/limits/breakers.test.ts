/** A tool that fails is left alone for a while, tenant by tenant, and tried by one call before all others. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { type Breakers, createBreakers } from './breakers.ts';

const LIMITS = { failuresMax: 3, openMs: 1_000 };

function brokenAt(now: number): Breakers {
  const breakers = createBreakers(LIMITS);
  for (let failure = 0; failure < LIMITS.failuresMax; failure += 1) breakers.note('pay', 'acme', false, now);
  return breakers;
}

const stateOf = (breakers: Breakers, now: number): string => breakers.readings(now)[0]?.state ?? 'closed';

describe('a breaker', () => {
  test('stays closed below its limit, and a success forgets what failed before', () => {
    const breakers = createBreakers(LIMITS);
    for (const worked of [false, false, true, false, false]) breakers.note('pay', 'acme', worked, 0);
    expect(breakers.refusedUntil('pay', 'acme', 0)).toBeNull();
    expect(breakers.readings(0)).toMatchObject([{ state: 'closed', failuresInARow: 2, retryAt: 0 }]);
  });

  test('opens at its limit for this tool and this tenant alone', () => {
    const breakers = brokenAt(100);
    expect(breakers.refusedUntil('pay', 'acme', 200)).toBe(1_100);
    expect(breakers.refusedUntil('pay', 'other', 200)).toBeNull();
    expect(breakers.refusedUntil('look', 'acme', 200)).toBeNull();
    expect(stateOf(breakers, 200)).toBe('open');
  });

  test('lets one call try after its time, and nobody beside it', () => {
    const breakers = brokenAt(0);
    expect(breakers.refusedUntil('pay', 'acme', 1_000)).toBeNull();
    expect(stateOf(breakers, 1_000)).toBe('half_open');
    breakers.enter('pay', 'acme', 1_000);
    expect(breakers.refusedUntil('pay', 'acme', 1_001)).toBe(2_000);
  });

  test('closes when that call works and opens again when it does not', () => {
    const works = brokenAt(0);
    works.enter('pay', 'acme', 1_000);
    works.note('pay', 'acme', true, 1_010);
    expect(works.refusedUntil('pay', 'acme', 1_011)).toBeNull();
    expect(works.readings(1_011)).toEqual([]);

    const fails = brokenAt(0);
    fails.enter('pay', 'acme', 1_000);
    fails.note('pay', 'acme', false, 1_010);
    expect(fails.refusedUntil('pay', 'acme', 1_011)).toBe(2_010);
    expect(stateOf(fails, 1_011)).toBe('open');
  });

  test('is asked as often as anybody likes: only the call that is sent takes the try', () => {
    const breakers = brokenAt(0);
    expect(breakers.refusedUntil('pay', 'acme', 1_000)).toBeNull();
    expect(breakers.refusedUntil('pay', 'acme', 1_001)).toBeNull();
  });

  test('does not wait for ever for a try that never came back', () => {
    const breakers = brokenAt(0);
    breakers.enter('pay', 'acme', 1_000);
    expect(breakers.refusedUntil('pay', 'acme', 2_000)).toBeNull();
  });
});

const moves = fc.array(fc.record({ after: fc.nat(600), worked: fc.boolean() }), { maxLength: 60 });
test.prop([moves])('an open breaker lets at most one call out per spell', (script) => {
  const breakers = createBreakers(LIMITS);
  let now = 0;
  let lastSent: number | null = null;
  for (const { after, worked } of script) {
    now += after;
    const before = stateOf(breakers, now);
    if (breakers.refusedUntil('pay', 'acme', now) !== null) continue;
    if (before !== 'closed' && lastSent !== null) expect(now - lastSent).toBeGreaterThanOrEqual(LIMITS.openMs);
    lastSent = now;
    breakers.enter('pay', 'acme', now);
    breakers.note('pay', 'acme', worked, now);
  }
});
