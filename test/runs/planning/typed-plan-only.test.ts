/** The only thing a planner can bring about is a plan that parses. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, rig } from '../rig.ts';

const NOT_PLANS = {
  'free text': 'First I will look the order up, then I will pay.',
  'an object without steps': { plan_id: 'plan_1', intent: 'work', decision_checkpoints: [] },
  'a list of steps': [{ id: 'a', tool: 'finish' }],
  'a step that says something else': { ...planOf([]), steps: [{ id: 'a', tool: 'finish', run: 'rm -rf' }] },
  nothing: null,
};

for (const [what, proposal] of Object.entries(NOT_PLANS)) {
  verifies('plan:output:typed-plan-only', `${what} is refused and nothing runs`, async () => {
    const bench = rig({ tools: { finish: { produces: ['done'] } }, plans: [proposal, proposal, proposal] });
    const { runId, status } = await bench.invoke();
    expect(status).toBe('paused');
    expect(bench.planner.requests.slice(1).map(({ reason }) => reason?.code)).toEqual(['plan_untyped', 'plan_untyped']);
    const { state } = await bench.runtime.replay(runId);
    expect(state.planning).toMatchObject({ active: null, plansCreated: 0 });
    expect(bench.dispatches).toEqual([]);
  });
}

verifies('plan:output:typed-plan-only', 'after prose a plan is still taken', async () => {
  const plans = ['I would rather explain.', planOf([{ id: 'a', tool: 'finish' }])];
  const bench = rig({ tools: { finish: { produces: ['done'] } }, plans });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
});
