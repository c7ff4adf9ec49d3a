/** Planner, Executor and Critic each spend from a share of their own. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { answered, proposed, type Turns, turns } from '../endings/turns.ts';
import { CAPS, planOf } from '../rig.ts';

const PLANNER_COST = { input_tokens: 10, output_tokens: 10, microusd: 0 };

/** The planner's share is spent after one plan; the first step fails and a second plan is wanted. */
function short(): Turns {
  const run = turns({
    tools: { read: { retries_max: 0, produces: ['done'], cost: { input_tokens: 5, output_tokens: 5, microusd: 0 } } },
    caps: { ...CAPS, roles: { planner: { output_tokens_max: 15 } } },
    options: { limits: { plannerCost: PLANNER_COST } },
  });
  run.say(proposed(planOf([{ id: 'a', tool: 'read' }]), { spent: PLANNER_COST }));
  run.say(answered(run, { outcome: 'error', raw: null, spent: { input_tokens: 5, output_tokens: 5, microusd: 0 } }));
  return run;
}

verifies('budget:roles:own-budget-each', 'a planner that spent its share stops, whatever the run has left', () => {
  const { state, outbox } = short();
  expect(outbox).toEqual([]);
  expect(state.people.escalation?.stop).toEqual({
    code: 'BUDGET_EXHAUSTED',
    reason: 'budget_exhausted',
    detail: { dimension: 'output_tokens', needed: 10, left: 5, role: 'planner' },
  });
});

verifies('budget:roles:own-budget-each', 'the executor has what it had', () => {
  const { roles } = short().state.budget ?? {};
  expect(roles?.planner.used.output_tokens).toBe(10);
  expect(roles?.executor).toMatchObject({
    used: { tool_calls: 1, output_tokens: 5 },
    reserved: { tool_calls: 0, output_tokens: 0 },
  });
});

verifies('budget:roles:own-budget-each', 'with a larger share the same planner is asked again', () => {
  const run = short();
  run.say({ type: 'budget_extended', by: 'cfo', reason: 'one more plan', delta: { output_tokens: 5 } });
  expect(run.outbox).toMatchObject([{ kind: 'propose_plan', attempt: 2 }]);
});
