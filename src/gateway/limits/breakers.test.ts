/** Breakers per tool and tenant: open after repeated failures, then one trial call. */
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
  test('stays closed below its limit, and a success resets the count', () => {
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

  test('permits one trial call after the open time, and no other', () => {
    const breakers = brokenAt(0);
    expect(breakers.refusedUntil('pay', 'acme', 1_000)).toBeNull();
    expect(stateOf(breakers, 1_000)).toBe('half_open');
    breakers.enter('pay', 'acme', 1_000);
    expect(breakers.refusedUntil('pay', 'acme', 1_001)).toBe(2_000);
  });

  test('closes if the trial succeeds and opens again if it fails', () => {
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

  test('keeps the trial until a call is sent, however often it is queried', () => {
    const breakers = brokenAt(0);
    expect(breakers.refusedUntil('pay', 'acme', 1_000)).toBeNull();
    expect(breakers.refusedUntil('pay', 'acme', 1_001)).toBeNull();
  });

  test('permits another trial if the first one never returned', () => {
    const breakers = brokenAt(0);
    breakers.enter('pay', 'acme', 1_000);
    expect(breakers.refusedUntil('pay', 'acme', 2_000)).toBeNull();
  });
});

const moves = fc.array(fc.record({ after: fc.nat(600), worked: fc.boolean() }), { maxLength: 60 });
test.prop([moves])('an open breaker permits at most one call per open period', (script) => {
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
