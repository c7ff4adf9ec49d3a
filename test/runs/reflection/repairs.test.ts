/** A failing tool may be planned around twice in a row; the planner sees the error. */
import { expect } from 'vitest';
import type { Plan } from '../../../src/model/plan/plan.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, type Rig, rig } from '../rig.ts';

const ID = 'reflection:tool-failure:two-consecutive-repairs';
const OUTPUT = { type: 'object', required: ['total'], properties: { total: { type: 'integer' } } };

/** Each plan has one step per letter: the result of `x` does not match the tool's schema. */
function bench(plans: readonly string[], replans: number): Rig {
  const made = plans.map(
    (letters, at): Plan =>
      planOf(
        [...letters].map((letter, n) => ({
          id: `p${at}s${n}`,
          tool: letter === 'x' ? 'bad' : 'good',
          params: { at, n },
        })),
        { plan_id: `plan_${at}` },
      ),
  );
  return rig({
    tools: {
      bad: { output_schema: OUTPUT, retries_max: 0, execute: () => ({ total: 'much' }) },
      good: { output_schema: OUTPUT, retries_max: 0, execute: () => ({ total: 1 }) },
      finish: { produces: ['done'] },
    },
    plans: made,
    caps: { ...CAPS, replan_attempts_max: replans, replan_rationale: 'the test wants to see the other bound' },
  });
}

verifies(ID, 'three failures in a row: two repairs, then an escalation', async () => {
  const failing = bench(['x', 'x', 'x', 'x'], 9);
  const outcome = await failing.invoke();
  expect(failing.dispatches).toHaveLength(3);
  expect(failing.planner.requests).toHaveLength(3);
  expect(outcome).toMatchObject({ status: 'paused', suspended: { code: 'VALIDATION_FAIL' } });
  expect(failing.planner.requests[1]?.reason).toMatchObject({
    code: 'tool_result_invalid',
    message: expect.stringContaining('/total must be integer'),
  });
});

verifies(ID, 'a success in between resets the count', async () => {
  const failing = bench(['x', 'x', 'ox', 'x', 'x', 'x'], 9);
  await failing.invoke();
  expect(failing.dispatches.map(({ tool }) => tool)).toEqual(['bad', 'bad', 'good', 'bad', 'bad', 'bad']);
});

verifies(ID, 'the smaller limit applies: one replan means one repair', async () => {
  const failing = bench(['x', 'x', 'x'], 1);
  await failing.invoke();
  expect(failing.dispatches).toHaveLength(2);
});
