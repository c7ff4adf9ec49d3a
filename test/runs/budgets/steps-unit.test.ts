/** A budget step is one action cycle, not one edge of the graph. */
import { expect } from 'vitest';
import { PROFILE_CAPS } from '../../../src/model/budget/budget-profile.ts';
import { verifies } from '../../requirements/verifies.ts';
import { answered, proposed, turns } from '../endings/turns.ts';
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

verifies(ID, 'stops after ten cycles', () => {
  const run = turns({
    tools: { look: {}, finish: { produces: ['done'] } },
    agent: (agent) => ({ ...agent, budget: { profile: 'incident_sre', overrides: {} } }),
    options: { graph: 'reactive', limits: { planning: 'stepwise' } },
  });
  for (let n = 1; n <= 10; n += 1) {
    run.say(proposed(planOf([{ id: `s${n}`, tool: 'look', params: { n } }], { plan_id: `plan_${n}` })));
    run.say(answered(run));
  }
  expect(run.state.budget?.used.steps).toBe(10);
  run.say(proposed(planOf([{ id: 's11', tool: 'finish' }], { plan_id: 'plan_11' })));
  expect(run.outbox).toEqual([]);
  expect(run.state.people.escalation?.stop).toMatchObject({ code: 'BUDGET_EXHAUSTED', detail: { dimension: 'steps' } });
  expect(run.state.position.transitions).toBeGreaterThan(80);
});
