/** Tests that a planner can only produce a plan that parses. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, rig } from '../rig.ts';

const NOT_PLANS = {
  'free text': 'First I will look the order up, then I will pay.',
  'an object without steps': { plan_id: 'plan_1', intent: 'work', decision_checkpoints: [] },
  'a list of steps': [{ id: 'a', tool: 'finish' }],
  'a step with an unknown field': { ...planOf([]), steps: [{ id: 'a', tool: 'finish', run: 'rm -rf' }] },
  null: null,
};

for (const [what, proposal] of Object.entries(NOT_PLANS)) {
  verifies('plan:output:typed-plan-only', `rejects ${what} and runs nothing`, async () => {
    const bench = rig({ tools: { finish: { produces: ['done'] } }, plans: [proposal, proposal, proposal] });
    const { runId, status } = await bench.invoke();
    expect(status).toBe('paused');
    expect(bench.planner.requests.slice(1).map(({ reason }) => reason?.code)).toEqual(['plan_untyped', 'plan_untyped']);
    const { state } = await bench.runtime.records.replay(runId);
    expect(state.planning).toMatchObject({ active: null, plansCreated: 0 });
    expect(bench.dispatches).toEqual([]);
  });
}

verifies('plan:output:typed-plan-only', 'accepts a plan after prose', async () => {
  const plans = ['I would rather explain.', planOf([{ id: 'a', tool: 'finish' }])];
  const bench = rig({ tools: { finish: { produces: ['done'] } }, plans });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
});
