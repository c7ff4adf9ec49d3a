/** A verdict of replan returns to the planner within the replan budget. */
import { expect } from 'vitest';
import type { Plan } from '../../../src/model/plan/plan.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, rig } from '../rig.ts';

const broken = (): never => {
  throw new Error('down');
};
const TOOLS = { read: {}, post: { retries_max: 0, execute: broken }, finish: { produces: ['done'] } };
const failingPlan = (n: number): Plan => planOf([{ id: 's1', tool: 'post', params: { n } }], { plan_id: `plan_${n}` });

verifies(
  'decide:replan:returns-to-planner',
  'calls the planner again, charges one attempt, and verifies the new plan before it runs',
  async () => {
    const bench = rig({
      tools: TOOLS,
      plans: [failingPlan(1), planOf([{ id: 's2', tool: 'finish' }], { plan_id: 'plan_2' })],
    });
    const { runId, verdict, terminalCode } = await bench.invoke();
    expect(bench.planner.requests.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(verdict).toMatchObject({ plan_id: 'plan_2', replan_attempts: 1 });
    expect(terminalCode).toBe('SUCCESS');
    const types = (await bench.events(runId)).map(({ type }) => type);
    const second = types.lastIndexOf('plan_proposed');
    const [verified, attempted] = ['plan_verified', 'step_attempted'].map((type) => types.lastIndexOf(type as never));
    expect(second).toBeLessThan(verified ?? -1);
    expect(verified).toBeLessThan(attempted ?? -1);
    expect(types.slice(second, attempted)).not.toContain('step_observed');
  },
);

verifies('replan:budget:default-two', 'allows two replans by default', async () => {
  expect(CAPS).not.toHaveProperty('replan_attempts_max');
  const bench = rig({ tools: TOOLS, plans: [1, 2, 3, 4, 5].map(failingPlan), caps: CAPS });
  const { runId, verdict } = await bench.invoke();
  expect(bench.planner.requests).toHaveLength(3);
  expect(verdict?.replan_attempts).toBe(2);
  const { state } = await bench.runtime.records.replay(runId);
  expect(state.budget?.used.replan_attempts).toBe(2);
});

verifies('replan:budget:default-two', 'counts plans that never pass verification', async () => {
  const invented = planOf([{ id: 's1', tool: 'teleport' }]);
  const bench = rig({ tools: TOOLS, plans: [invented, invented, invented, invented] });
  await bench.invoke();
  expect(bench.planner.requests).toHaveLength(3);
});

verifies(
  'replan:budget:capped-by-run-budget',
  'with one replan allowed, escalates instead of a second one',
  async () => {
    const bench = rig({
      tools: TOOLS,
      plans: [1, 2, 3].map(failingPlan),
      caps: { ...CAPS, replan_attempts_max: 1 },
      options: { limits: { onEscalate: 'end' } },
    });
    const outcome = await bench.invoke();
    expect(bench.planner.requests).toHaveLength(2);
    expect(outcome).toMatchObject({
      reason: 'replan_budget_exhausted',
      verdict: { verdict: 'escalate', replan_attempts: 1 },
      record: { outcome: 'escalate' },
    });
  },
);
