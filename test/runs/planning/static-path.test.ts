/** Tests that tasks with a static path are planned by host code without a model. */
import { expect } from 'vitest';
import { ambit } from '../../../src/compose.ts';
import { chooseTier } from '../../../src/kernel/autonomy/tiers.ts';
import { templatePlanner } from '../../../src/roles/template-planner.ts';
import { verifies } from '../../requirements/verifies.ts';
import { agentFor, planOf, REQUEST, rig, toolSpec } from '../rig.ts';

const PLAN = planOf([{ id: 'a', tool: 'finish' }]);
const FINISH = { spec: toolSpec('finish', { produces: ['done'] }), execute: () => ({ ok: true }) };

for (const need of ['single_answer', 'fixed_sequence', 'static_branching'] as const) {
  verifies('plan:simple-task:planning-skipped-when-static', `${need} succeeds without a planning model`, async () => {
    const { tier } = chooseTier({ needs: [need], environment: 'sandbox' });
    const agent = agentFor(['finish']);
    const autonomy = { ...agent.autonomy, tier: tier.rank, needs: [need] };
    const runtime = ambit({
      agent: { ...agent, autonomy },
      tools: [FINISH],
      planner: templatePlanner({ work: PLAN }),
      graph: tier.graphs[0],
    });
    const outcome = await runtime.invoke(REQUEST);
    expect(outcome.terminalCode).toBe('SUCCESS');
    const { state } = await runtime.records.replay(outcome.runId);
    expect(state.planning.author).toBe('host');
    expect(state.budget?.used).toMatchObject({ input_tokens: 0, output_tokens: 0, cost_microusd: 0 });
  });

  verifies('plan:simple-task:planning-skipped-when-static', `${need} rejects the plan of a model`, async () => {
    const { tier } = chooseTier({ needs: [need], environment: 'sandbox' });
    const bench = rig({ tools: { finish: { produces: ['done'] } }, plans: [PLAN], options: { graph: tier.graphs[0] } });
    const outcome = await bench.invoke();
    expect(outcome.terminalCode).not.toBe('SUCCESS');
    expect(bench.dispatches).toEqual([]);
  });
}
