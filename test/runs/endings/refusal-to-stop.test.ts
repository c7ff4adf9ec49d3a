/** Tests that a run ends once every criterion is met, even if the model has more steps. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { kernelOf, pathOf } from '../graphs/kernel.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { answered, proposed, turns } from './turns.ts';

const ID = 'pathology:refusal-to-stop:steps-after-success';
const STEPWISE: RigOptions['options'] = { graph: 'reactive', limits: { planning: 'stepwise' } };
const DONE = planOf([{ id: 'a', tool: 'finish' }]);
const MORE = planOf([{ id: 'b', tool: 'more' }], { plan_id: 'plan_2' });
const TOOLS = { finish: { produces: ['done'] }, more: {} };

verifies(ID, 'does not ask the model for another step', async () => {
  const options = { tools: TOOLS, plans: [DONE, MORE], options: STEPWISE };
  const bench = rig(options);
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.planner.requests).toHaveLength(1);
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['finish']);
  const path = pathOf(kernelOf(options), await bench.events(outcome.runId));
  expect(path.slice(-3)).toEqual(['completion_check', 'finalize', 'terminate']);
});

verifies(ID, 'rejects a plan that still arrives', () => {
  const run = turns({ tools: TOOLS, options: STEPWISE });
  run.say(proposed(DONE));
  run.say(answered(run));
  expect(run.refusal(proposed(MORE)).code).toBe('session_terminal');
  expect(run.outbox).toEqual([]);
});
