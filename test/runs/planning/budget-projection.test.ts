/** Tests that a plan over the remaining budget is not started. */
import { expect } from 'vitest';
import type { Plan } from '../../../src/model/plan/plan.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, type Rig, rig } from '../rig.ts';

const chain = (length: number): Plan =>
  planOf(
    Array.from({ length }, (_, n) => ({
      id: `s${n + 1}`,
      tool: n + 1 === length ? 'finish' : 'read',
      params: { n },
    })),
  );

const benchFor = (steps: number): Rig =>
  rig({
    tools: { read: {}, finish: { produces: ['done'] } },
    plans: [chain(steps)],
    caps: { ...CAPS, tool_calls_max: 5 },
  });

verifies(
  'plan:validation:over-budget-projection-rejected',
  'rejects a plan of six calls with five left, and dispatches nothing',
  async () => {
    const bench = benchFor(6);
    const outcome = await bench.invoke();
    expect(bench.dispatches).toEqual([]);
    expect(outcome).toMatchObject({ status: 'paused', reason: 'budget_exhausted', authority: 'budget_queue' });
    expect(outcome.why).toEqual([
      'tool_calls: the run needs 6 and has 5 left; the cap is budget: { toolCallsMax } of the agent',
    ]);
    const verified = (await bench.events(outcome.runId)).find((event) => event.type === 'plan_verified');
    expect(verified).toMatchObject({
      verdict: 'reject',
      problems: [{ code: 'budget_projection_exceeded', detail: { dimension: 'tool_calls', needed: 6, left: 5 } }],
    });
  },
);

verifies('plan:validation:over-budget-projection-rejected', 'runs a plan of five calls with five left', async () => {
  const bench = benchFor(5);
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches).toHaveLength(5);
});
