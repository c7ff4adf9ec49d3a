/** A tool governed by a decision, in a stepwise run. */
import { expect, test } from 'vitest';
import { decision } from '../../../src/agent/decision.ts';
import { verifiedPlans } from '../planning/bench.ts';
import { decide, reactiveBench, shownTo } from './bench.ts';

const OPTIONS = {
  tools: { look_up: { produces: ['order'] }, refund: { produces: ['done'] } },
  options: { decisions: [decision({ id: 'pay', evidence: ['order'], actions: ['refund'], risk: 'low' })] },
};
/** The lookup brings the evidence that the decision needs. */
const LOOK_UP_TO_PAY = {
  ...decide('look_up', { id: 'o1' }),
  decision_checkpoints: [{ decision_id: 'pay', after_step: 'next' }],
};

test('decides after the step that carries the checkpoint', async () => {
  const bench = reactiveBench([LOOK_UP_TO_PAY, decide('refund')], OPTIONS);
  const run = await bench.invoke();
  expect(run).toMatchObject({ terminalCode: 'SUCCESS', record: { decision_id: 'pay' } });
  expect(bench.model.prompts[0]?.system).toContain('a checkpoint of the decision after that very step');
  bench.model.assertDrained();
});

test('tells a model that omitted the checkpoint, and it repeats the step with it', async () => {
  const turns = [decide('look_up', { id: 'o1' }), decide('refund'), LOOK_UP_TO_PAY, decide('refund')];
  const bench = reactiveBench(turns, OPTIONS);
  const run = await bench.invoke();
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(shownTo(bench.model, 2)).toContain('decision_unbound');
  const plans = verifiedPlans(await bench.events(run.runId));
  expect(plans.map((steps) => steps.map(({ tool }) => tool))).toEqual([['look_up'], ['look_up'], ['refund']]);
  await bench.runtime.records.replay(run.runId);
});
