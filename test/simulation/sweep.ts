import { expect } from 'vitest';
import type { SimulatedRun } from '../../src/testing/simulator/simulate.ts';
import { SIMULATOR } from './parts.ts';
import { describeBroken } from './summary.ts';
import { sweepOnAllCores } from './threads.ts';

/** Runs seeds and fails with the first broken laws, each with the command that shows its run. */
export function expectLawful(from: number, count: number): readonly SimulatedRun[] {
  const runs = Array.from({ length: count }, (_, index) => SIMULATOR.run(from + index));
  const broken = runs.filter(({ violation }) => violation !== null);
  expect(broken.slice(0, 10).map(describeBroken)).toEqual([]);
  return runs;
}

/** Runs the first seeds on every core and fails with the first broken laws. */
export async function expectLawfulOnAllCores(count: number): Promise<void> {
  const { seeds, codes, broken } = await sweepOnAllCores(1, count);
  expect(broken.slice(0, 10).map(describeBroken)).toEqual([]);
  expect(seeds).toBe(count);
  expect(codes['SUCCESS'] ?? 0).toBeGreaterThan(count / 10);
}
