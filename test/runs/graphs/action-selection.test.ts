/** Tests that only a step of the verified plan with committed dependencies reaches the gateway. */
import { expect } from 'vitest';
import { walk } from '../../../src/kernel/transition/walk.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { expectNoEdge, expectShut } from './edges.ts';
import { before, kernelOf, offer, pathOf, placeAtNode } from './kernel.ts';

const OPTIONS: RigOptions = {
  tools: { read: {}, finish: { produces: ['done'] } },
  plans: [
    planOf([
      { id: 'a', tool: 'read' },
      { id: 'b', tool: 'finish', depends_on: ['a'] },
    ]),
  ],
};

verifies(
  'graph:action-selection:only-to-eligibility',
  'leads to tool eligibility, and only with an eligible step',
  async () => {
    const bench = rig(OPTIONS);
    const { runId } = await bench.invoke();
    const env = kernelOf(OPTIONS);
    const events = await bench.events(runId);
    const path = pathOf(env, events);
    const followers = new Set(path.flatMap((node, place) => (node === 'action_selection' ? [path[place + 1]] : [])));
    expect([...followers]).toEqual(['tool_eligibility']);

    const selected = before(env, events, 'step_cleared');
    const { current } = selected;
    if (current === null) throw new Error('nothing selected');
    expectNoEdge(env, selected, 'action_selection', 'tool_invocation');
    expect(walk(env, placeAtNode(selected, 'action_selection'), 'tool_eligibility').position.node).toBe(
      'tool_eligibility',
    );
    const unknown = { ...selected, current: { ...current, index: 7, stepId: 'z' } };
    expectShut(env, unknown, 'action_selection', 'tool_eligibility');
    const early = { ...selected, current: { ...current, index: 1, stepId: 'b' } };
    expectShut(env, early, 'action_selection', 'tool_eligibility');
    expectShut(env, { ...selected, current: null }, 'action_selection', 'tool_eligibility');
    const cleared = {
      type: 'step_cleared' as const,
      step_id: 'z',
      args: {},
      args_hash: '',
      mode: 'read_only' as const,
    };
    const [same, , fault] = offer(env, selected, { ...cleared, gates: [] });
    expect(fault?.code).toBe('step_not_verified');
    expect(same).toBe(selected);
  },
);
