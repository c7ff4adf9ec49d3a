/** Planner, executor and critic each have their own budget. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { answered, proposed, type Turns, turns } from '../endings/turns.ts';
import { CAPS, planOf } from '../rig.ts';

const PLANNER_COST = { input_tokens: 10, output_tokens: 10, microusd: 0 };

/** The planner's budget covers one plan. The first step fails, so the run needs a second plan. */
function startShortOfBudget(): Turns {
  const run = turns({
    tools: { read: { retries_max: 0, produces: ['done'], cost: { input_tokens: 5, output_tokens: 5, microusd: 0 } } },
    caps: { ...CAPS, roles: { planner: { output_tokens_max: 15 } } },
    options: { limits: { plannerCost: PLANNER_COST } },
  });
  run.say(proposed(planOf([{ id: 'a', tool: 'read' }]), { spent: PLANNER_COST }));
  run.say(answered(run, { outcome: 'error', raw: null, spent: { input_tokens: 5, output_tokens: 5, microusd: 0 } }));
  return run;
}

verifies('budget:roles:own-budget-each', 'a planner stops when its own budget is spent, with run budget left', () => {
  const { state, outbox } = startShortOfBudget();
  expect(outbox).toEqual([]);
  expect(state.people.escalation?.stop).toEqual({
    code: 'BUDGET_EXHAUSTED',
    reason: 'budget_exhausted',
    detail: { dimension: 'output_tokens', needed: 10, left: 5, role: 'planner' },
  });
});

verifies('budget:roles:own-budget-each', "the executor's budget is unaffected", () => {
  const { roles } = startShortOfBudget().state.budget ?? {};
  expect(roles?.planner.used.output_tokens).toBe(10);
  expect(roles?.executor).toMatchObject({
    used: { tool_calls: 1, output_tokens: 5 },
    reserved: { tool_calls: 0, output_tokens: 0 },
  });
});

verifies('budget:roles:own-budget-each', 'the planner plans again after an extension', () => {
  const run = startShortOfBudget();
  run.say({ type: 'budget_extended', by: 'cfo', reason: 'one more plan', delta: { output_tokens: 5 } });
  expect(run.outbox).toMatchObject([{ kind: 'propose_plan', attempt: 2 }]);
});
