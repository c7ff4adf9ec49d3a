/** Ten thousand runs in worlds that lie, stall and die. The laws they keep are told in docs/guides/simulation.md. */
import { expect } from 'vitest';
import { verifies } from '../requirements/verifies.ts';
import { describeBroken } from './summary.ts';
import { sweepOnAllCores } from './threads.ts';

const SEEDS = 10_000;

verifies(
  'budget:unit-reservation:cannot-overshoot',
  'ten thousand seeds keep every law, and no run is ever above a cap',
  async () => {
    const { seeds, codes, broken } = await sweepOnAllCores(1, SEEDS);
    expect(broken.slice(0, 10).map(describeBroken)).toEqual([]);
    expect(seeds).toBe(SEEDS);
    expect(codes['SUCCESS'] ?? 0).toBeGreaterThan(SEEDS / 10);
  },
  { timeout: 900_000 },
);
