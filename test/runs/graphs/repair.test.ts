/** Tests that a repair leads back to planning only while repairs, retries and budget last. */
import { expect } from 'vitest';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import type { Plan } from '../../../src/model/plan/plan.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, type RigOptions, rig } from '../rig.ts';
import { expectShut, refusal } from './edges.ts';
import { before, kernelOf, pathOf } from './kernel.ts';

const ID = 'graph:repair:bounded-exits';
const plans: readonly Plan[] = [1, 2, 3, 4].map((n) =>
  planOf([{ id: 'a', tool: 'finish', params: { n } }], { plan_id: `plan_${n}` }),
);
const FAILING: RigOptions = {
  tools: { finish: { produces: ['done'], retries_max: 0, execute: () => Promise.reject(new Error('down')) } },
  plans,
  options: { limits: { onEscalate: 'end' } },
};

verifies(ID, 'each exhausted limit alone closes the edge to planning', async () => {
  const bench = rig(FAILING);
  const { runId } = await bench.invoke();
  const env = kernelOf(FAILING);
  const state = before(env, await bench.events(runId), 'step_verified');
  const { budget, counters } = state;
  if (budget === null) throw new Error('no budget');
  expect(refusal(env, state, 'repair', 'plan')).toBeNull();
  const spent: readonly RunState[] = [
    { ...state, counters: { ...counters, repairsInARow: 3 } },
    { ...state, budget: { ...budget, retries_in_a_row: budget.caps.retry_count_max + 1 } },
    { ...state, budget: { ...budget, used: { ...budget.used, tool_calls: budget.caps.tool_calls_max } } },
  ];
  for (const exhausted of spent) expectShut(env, exhausted, 'repair', 'plan');
});

verifies(ID, 'ends with REPEATED_FAILURE when repairs are used up', async () => {
  const bench = rig(FAILING);
  const outcome = await bench.invoke();
  expect(outcome.terminalCode).toBe('REPEATED_FAILURE');
  const path = pathOf(kernelOf(FAILING), await bench.events(outcome.runId));
  expect(path.filter((node) => node === 'repair')).toHaveLength(2);
  expect(path.slice(-2)).toEqual(['observation_verification', 'terminate']);
});

verifies(ID, 'ends with REPEATED_FAILURE when retries are used up and no replan is left', async () => {
  const tools = { finish: { ...FAILING.tools?.['finish'], retries_max: 5 } };
  const bench = rig({ ...FAILING, tools, caps: { ...CAPS, retry_count_max: 1, replan_attempts_max: 0 } });
  const outcome = await bench.invoke();
  expect(outcome.terminalCode).toBe('REPEATED_FAILURE');
  expect(bench.dispatches).toHaveLength(2);
  expect(bench.planner.requests).toHaveLength(1);
});

verifies(ID, 'ends with BUDGET_EXHAUSTED when calls are used up', async () => {
  const bench = rig({ ...FAILING, caps: { ...CAPS, tool_calls_max: 1 } });
  const outcome = await bench.invoke();
  expect(outcome.terminalCode).toBe('BUDGET_EXHAUSTED');
  expect(bench.dispatches).toHaveLength(1);
});
