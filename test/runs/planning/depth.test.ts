/** Tests that subtasks nest at most two levels deep and that neither a plan nor an agent can raise the limit. */
import { expect } from 'vitest';
import type { Plan, Subtask } from '../../../src/model/plan/plan.ts';
import { verifies } from '../../requirements/verifies.ts';
import { agentFor, planOf, rig } from '../rig.ts';

const subtask = (depth: number): Subtask => ({
  id: `sub_${depth}`,
  goal: `Level ${depth}`,
  completion_criteria: ['It is written down.'],
  depth,
});

const nested = (depths: readonly number[], changes: Partial<Plan> = {}): Plan =>
  planOf([{ id: 'b', tool: 'finish' }], { plan_id: 'plan_2', subtasks: depths.map(subtask), ...changes });

const FIRST = planOf([{ id: 'a', tool: 'read' }]);
const TOOLS = { read: {}, finish: { produces: ['done'] } };

verifies('plan:depth:max-two', 'accepts depth 1 and 2', async () => {
  const bench = rig({ tools: TOOLS, plans: [nested([1, 2])] });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS', verdict: { replan_attempts: 0 } });
});

verifies('plan:depth:max-two', 'rejects depth 3, and the previous plan stays in force', async () => {
  const bench = rig({ tools: TOOLS, plans: [FIRST, nested([1, 2, 3]), nested([3])] });
  const outcome = await bench.invoke();
  expect(bench.planner.requests[2]?.reason).toMatchObject({
    code: 'depth_exceeded',
    detail: { problems: [{ path: '/subtasks/2/depth', detail: { depth: 3, depth_max: 2 } }] },
  });
  expect(outcome.status).toBe('paused');
  const { state } = await bench.runtime.records.replay(outcome.runId);
  expect(state.planning.active?.plan).toEqual(FIRST);
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['read']);
});

verifies('plan:depth:max-two', 'rejects a depth_max in a plan or an agent declaration', async () => {
  const overriding = { ...nested([3]), depth_max: 5 };
  const bench = rig({ tools: TOOLS, plans: [overriding, overriding, overriding] });
  expect((await bench.invoke()).status).toBe('paused');
  expect(bench.dispatches).toEqual([]);
  const agent = agentFor(['finish']);
  const declared = { ...agent, autonomy: { ...agent.autonomy, depth_max: 5 } };
  const refused = expect.objectContaining({ code: 'input_invalid' });
  expect(() => rig({ tools: TOOLS, agent: () => declared })).toThrow(refused);
});
