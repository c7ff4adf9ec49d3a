/** Junk for every public entry point: each call resolves or throws a Fault, and no call reaches a tool. */
import { expect, test } from 'vitest';
import { SEED } from './dice.ts';
import { fuzzEntryPoints } from './fuzz-entry-points.ts';
import { allPoints } from './fuzz-points.ts';

const SEEDS = Array.from({ length: 1_000 }, (_, at) => SEED + at);

test('1,000 seeds of junk for every entry point raise no raw error', { timeout: 600_000 }, async () => {
  const { bench, points } = await allPoints();
  expect(points.length).toBeGreaterThan(400);
  expect(await fuzzEntryPoints(points, SEEDS)).toEqual([]);
  expect(bench.dispatches).toEqual([]);
});
