/** Tests that a run leaves goal intake and planning only for classification and validation. */
import { expect } from 'vitest';
import type { EventBody } from '../../../src/model/events/event.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { expectNoEdge } from './edges.ts';
import { before, kernelOf, offer, pathOf } from './kernel.ts';

const OPTIONS: RigOptions = {
  tools: { finish: { produces: ['done'] } },
  plans: ['no plan', planOf([{ id: 'a', tool: 'finish' }])],
};

/** Every node that follows a node in the path. */
const followers = (path: readonly string[], node: string): ReadonlySet<string | undefined> =>
  new Set(path.flatMap((each, at) => (each === node ? [path[at + 1]] : [])));

verifies('graph:intake-classify:linear-entry', 'a request leads to classification, and no event skips it', async () => {
  const bench = rig(OPTIONS);
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  const env = kernelOf(OPTIONS);
  const events = await bench.events(runId);
  expect(pathOf(env, events).slice(0, 3)).toEqual(['goal_intake', 'classify_intent', 'scope_resolution']);
  const entry = before(env, events, 'goal_received');
  expectNoEdge(env, entry, 'goal_intake', 'scope_resolution');
  const scope = events.find(({ type }) => type === 'scope_resolved') as EventBody;
  const [after, effects, fault] = offer(env, entry, scope);
  expect(after).toBe(entry);
  expect([effects, fault?.code]).toEqual([[], 'event_illegal']);
});

verifies('graph:plan-node:only-to-validation', 'every plan of a run is validated, and no call skips it', async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const env = kernelOf(OPTIONS);
  const events = await bench.events(runId);
  expect(followers(pathOf(env, events), 'plan')).toEqual(new Set(['plan_validation']));
  const planning = before(env, events, 'plan_proposed');
  expectNoEdge(env, planning, 'plan', 'action_selection');
  expectNoEdge(env, planning, 'plan', 'tool_invocation');
  const call = events.find(({ type }) => type === 'step_cleared') as EventBody;
  const [after, effects, fault] = offer(env, planning, call);
  expect(after).toBe(planning);
  expect([effects, fault?.code]).toEqual([[], 'plan_not_verified']);
});
