/** Proves that an engine without what the code counts on is refused in one sentence that names the fix. */
import { expect, test } from 'vitest';
import { tooOld } from './this-engine.ts';

test('an engine that lacks something is refused with what it lacks and what to install', () => {
  const old = new Map<string, unknown>([
    ['Map.groupBy', undefined],
    ['Promise.withResolvers', () => null],
  ]);
  const [fault, ...more] = tooOld(old);
  expect(more).toEqual([]);
  expect(fault?.message).toMatch(/has no Map\.groupBy\): Ambit needs Node\.js 24\.15 or newer.*node@24/);
});

test('this one is not', () => {
  expect(tooOld()).toEqual([]);
});
