import { expect } from 'vitest';
import type { SimulatedRun } from '../../src/testing/simulator/simulate.ts';
import { SIMULATOR } from './parts.ts';
import { describeBroken } from './summary.ts';

/** Runs seeds and fails with what the first of them broke and how to see it happen. */
export function expectLawful(from: number, count: number): readonly SimulatedRun[] {
  const runs = Array.from({ length: count }, (_, index) => SIMULATOR.run(from + index));
  const broken = runs.filter(({ violation }) => violation !== null);
  expect(broken.slice(0, 10).map(describeBroken)).toEqual([]);
  return runs;
}
