/** A budget step is one action cycle, not one edge of the graph. */
import { expect } from 'vitest';
import { PROFILE_CAPS } from '../../../src/model/budget/budget-profile.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, rig } from '../rig.ts';

const ID = 'budget:steps:unit-fits-graph-path';

verifies(ID, 'an incident with one call succeeds under ten steps across more than ten edges', async () => {
  const bench = rig({
    tools: { look: { produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'look' }])],
    agent: (agent) => ({ ...agent, budget: { profile: 'incident_sre', overrides: {} } }),
  });
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
  const { state } = await bench.runtime.records.replay(outcome.runId);
  expect(state.budget).toMatchObject({ caps: PROFILE_CAPS.incident_sre, used: { steps: 1 } });
  expect(state.position.transitions).toBe(14);
});

verifies(ID, 'stops after ten cycles', async () => {
  const plans = Array.from({ length: 11 }, (_, n) =>
    planOf([{ id: `s${n}`, tool: n < 10 ? 'look' : 'finish', params: { n } }], { plan_id: `plan_${n}` }),
  );
  const bench = rig({
    tools: { look: {}, finish: { produces: ['done'] } },
    plans,
    agent: (agent) => ({ ...agent, budget: { profile: 'incident_sre', overrides: {} } }),
    options: { graph: 'reactive', limits: { planning: 'stepwise', onEscalate: 'end' } },
  });
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ status: 'failed', terminalCode: 'BUDGET_EXHAUSTED' });
  expect((await bench.events(outcome.runId)).at(-1)).toMatchObject({
    type: 'run_terminated',
    code: 'BUDGET_EXHAUSTED',
    reason: 'budget_exhausted',
    detail: { dimension: 'steps', needed: 1, left: 0 },
  });
  expect(bench.dispatches).toHaveLength(10);
  expect((await bench.runtime.records.trace(outcome.runId)).budget_vector.used).toMatchObject({ steps_used: 10 });
  const { state } = await bench.runtime.records.replay(outcome.runId);
  expect(state.position.transitions).toBeGreaterThan(80);
});
