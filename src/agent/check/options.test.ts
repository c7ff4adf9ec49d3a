/** Proves that an engine without the required features is rejected with one sentence that names the fix. */
import { expect, test } from 'vitest';
import { engineFaults } from './options.ts';

test('reports the features an old engine lacks and the version to install', () => {
  const old = new Map<string, unknown>([
    ['Map.groupBy', undefined],
    ['Promise.withResolvers', () => null],
  ]);
  const [fault, ...more] = engineFaults(old);
  expect(more).toEqual([]);
  expect(fault?.message).toMatch(/has no Map\.groupBy\): Ambit needs Node\.js 24\.15 or newer.*node@24/);
});

test('accepts the current engine', () => {
  expect(engineFaults()).toEqual([]);
});
