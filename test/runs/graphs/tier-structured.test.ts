/** Tests tier 4: edges open only on structured output. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { expectShut } from './edges.ts';
import { before, fold, kernelOf, pathOf } from './kernel.ts';

const ID = 'ladder:tier-4:edges-gated-by-structured-output';
const TOOLS = { finish: { produces: ['done'] } };
const PROSE = ['First I would look at the order.', ['then', 'refund'], 'Step 1: finish.'];

verifies(ID, 'prose opens no edge, and the run ends when repairs are used up', async () => {
  const options: RigOptions = {
    tools: TOOLS,
    plans: PROSE,
    options: { graph: 'conditional_graph', limits: { onEscalate: 'end' } },
  };
  const bench = rig(options);
  const outcome = await bench.invoke();
  expect(outcome.terminalCode).toBe('VALIDATION_FAIL');
  const env = kernelOf(options);
  const events = await bench.events(outcome.runId);
  expect(pathOf(env, events)).not.toContain('plan_validation');
  expect(bench.planner.requests.map(({ reason }) => reason?.code)).toEqual([undefined, 'plan_untyped', 'plan_untyped']);
  const failures = fold(env, events).map(({ planning }) => planning.reason?.code);
  expect(failures).toContain('plan_untyped');
  expect(bench.dispatches).toEqual([]);
  const waiting = before(env, events, 'plan_proposed');
  expectShut(env, { ...waiting, planning: { ...waiting.planning, proposal: 'prose' } }, 'plan', 'plan_validation');
});

verifies(ID, 'a structured plan after prose opens the edge', async () => {
  const plans = [PROSE[0], planOf([{ id: 'a', tool: 'finish' }])];
  const bench = rig({ tools: TOOLS, plans, options: { graph: 'conditional_graph' } });
  expect((await bench.invoke()).terminalCode).toBe('SUCCESS');
});
