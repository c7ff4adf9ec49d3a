/** Tests that a replan request contains the exact error, and that replans are limited. */
import { expect } from 'vitest';
import type { Plan } from '../../../src/model/plan/plan.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, rig } from '../rig.ts';

const M = 'E4711: ledger "eu-1" refused posting ½ – retry after 00:00 UTC\n(row 7)';

const failing = {
  retries_max: 0,
  execute: (): never => {
    throw new Error(M);
  },
};

const attempt = (n: number): Plan =>
  planOf(
    [
      { id: 's1', tool: 'read' },
      { id: 's2', tool: 'post', params: { n }, depends_on: ['s1'] },
    ],
    { plan_id: `plan_${n}` },
  );

verifies(
  ['plan:repair:bounded-with-exact-error', 'execute:failure:structured-reason'],
  'passes the error message verbatim to the planner, and stops replanning at the cap',
  async () => {
    const bench = rig({
      tools: { read: {}, post: failing },
      plans: [attempt(1), attempt(2), attempt(3), attempt(4)],
      options: { limits: { onEscalate: 'end' } },
    });
    const outcome = await bench.invoke();
    const messages = bench.planner.requests.map(({ reason }) => reason?.message ?? null);
    expect(messages).toEqual([null, expect.stringContaining(M), expect.stringContaining(M)]);
    expect(bench.planner.requests[1]).toMatchObject({
      attempt: 2,
      reason: { code: 'error', step_id: 's2', detail: { tool: 'post', outcome: 'error', attempt: 1 } },
    });
    expect(outcome).toMatchObject({ status: 'failed', terminalCode: 'REPEATED_FAILURE' });
    expect(bench.dispatches.filter(({ tool }) => tool === 'post')).toHaveLength(3);
  },
);
