/** Tests the three exits of plan validation, and that it has no edge to a tool. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, type RigOptions, rig } from '../rig.ts';
import { expectNoEdge } from './edges.ts';
import { before, kernelOf, pathOf } from './kernel.ts';

const OPTIONS: RigOptions = {
  tools: { finish: { produces: ['done'] } },
  plans: [planOf([{ id: 'a', tool: 'finish' }])],
};
const ID = 'graph:plan-validation:three-exits';

const afterValidation = (path: readonly string[]): string | undefined => path[path.indexOf('plan_validation') + 1];

verifies(ID, 'a valid plan leads to action selection, never directly to a tool', async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const env = kernelOf(OPTIONS);
  const events = await bench.events(runId);
  expect(afterValidation(pathOf(env, events))).toBe('action_selection');
  expectNoEdge(env, before(env, events, 'plan_verified'), 'plan_validation', 'tool_invocation');
});

const forbidding = {
  goals: { check: () => ({ cleared: true, rule: null }) },
  plans: { version: 'rules@1', invariants: () => [{ invariant: 'no_such_work', message: 'this is not done here' }] },
};

verifies(ID, 'an unsafe plan leads to a person', async () => {
  const options = { ...OPTIONS, world: { policy: forbidding } };
  const bench = rig(options);
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ status: 'paused', reason: 'plan_rejected' });
  expect(afterValidation(pathOf(kernelOf(options), await bench.events(outcome.runId)))).toBe('human_approval');
  expect(bench.dispatches).toEqual([]);
});

for (const onEscalate of ['pause', 'end'] as const) {
  verifies(ID, `a plan over budget escalates or ends the run (${onEscalate})`, async () => {
    const options: RigOptions = {
      ...OPTIONS,
      caps: { ...CAPS, tool_calls_max: 0 },
      options: { limits: { onEscalate } },
    };
    const bench = rig(options);
    const outcome = await bench.invoke();
    const path = pathOf(kernelOf(options), await bench.events(outcome.runId));
    if (onEscalate === 'pause') {
      expect(outcome).toMatchObject({ status: 'paused', authority: 'budget_queue' });
      expect(afterValidation(path)).toBe('human_approval');
    } else {
      expect(outcome.terminalCode).toBe('BUDGET_EXHAUSTED');
      expect(afterValidation(path)).toBe('terminate');
    }
    expect(bench.dispatches).toEqual([]);
  });
}
