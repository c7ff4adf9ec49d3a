/** Tests the exits of scope resolution. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, REQUEST, type RigOptions, rig } from '../rig.ts';
import { expectNoEdge, expectShut } from './edges.ts';
import { before, kernelOf, pathOf } from './kernel.ts';

const OPTIONS: RigOptions = {
  tools: { finish: { produces: ['done'] } },
  plans: [planOf([{ id: 'a', tool: 'finish' }])],
};

verifies('graph:scope:init-or-terminate', 'a valid token leads to state init, with no edge to the plan', async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const env = kernelOf(OPTIONS);
  const events = await bench.events(runId);
  const path = pathOf(env, events);
  expect(path[path.indexOf('scope_resolution') + 1]).toBe('state_init');
  expectNoEdge(env, before(env, events, 'policy_checked'), 'scope_resolution', 'plan');
});

verifies('graph:scope:init-or-terminate', 'ends the run without a token', async () => {
  const bench = rig(OPTIONS);
  const expired = { ...(REQUEST['identity'] as object), expires_at: 5 };
  const outcome = await bench.invoke({ identity: expired });
  expect(outcome).toMatchObject({ status: 'failed', terminalCode: 'PERMISSION_DENIED', reason: 'identity_expired' });
  const env = kernelOf(OPTIONS);
  const events = await bench.events(outcome.runId);
  expect(pathOf(env, events).slice(-2)).toEqual(['scope_resolution', 'terminate']);
  expectShut(env, before(env, events, 'scope_resolved'), 'scope_resolution', 'state_init');
  expect(bench.planner.requests).toEqual([]);
});
