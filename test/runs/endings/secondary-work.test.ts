/** Tests that failed secondary work does not undo a goal that is met, through the public API. */
import { expect, test } from 'vitest';
import { NO_ESTIMATE } from '../../../src/kernel/budget/estimate.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { DONE, eventsIn, reads, TOLD, work, worker } from './cause-bench.ts';

const ID = 'terminate:partial-success:disclose-unresolved';

const main = () => reads('main', 'done', () => ({ ok: true }));
const failing = () =>
  reads('notify', 'told', () => {
    throw new Error('smtp down');
  });
const log = () => reads('log', 'logged', () => ({ ok: true }));
const STEPS = [
  { id: 'a', tool: 'main' },
  { id: 'b', tool: 'notify' },
];

verifies(ID, 'the run ends with PARTIAL_SUCCESS, and the outcome names the failed step and the criterion', async () => {
  const runtime = worker({ tools: [main(), failing()], steps: STEPS, criteria: [DONE, TOLD] });
  const run = await work(runtime);
  expect(run).toMatchObject({
    status: 'completed',
    terminalCode: 'PARTIAL_SUCCESS',
    reason: 'secondary_unresolved',
    text: 'It is done.',
  });
  expect(run.why).toEqual(['step b is not done: notify failed: smtp down', 'not met: The customer is told.']);
  const events = await eventsIn(runtime, run.runId);
  expect(events.at(-1)).toMatchObject({ detail: { unresolved: ['b', 'told'] } });
  expect(eventsOf(events, 'plan_proposed')).toHaveLength(1);
});

verifies(ID, 'a step that times out counts as failed', async () => {
  const hangs = reads('notify', 'told', () => new Promise<never>(() => undefined));
  const slow = { ...hangs, spec: { ...hangs.spec, timeout_ms: 20 } };
  const run = await work(worker({ tools: [main(), slow], steps: STEPS, criteria: [DONE] }));
  expect(run.terminalCode).toBe('PARTIAL_SUCCESS');
  expect(run.why.join(' ')).toContain('step b is not done');
});

verifies(ID, 'further steps are not called, and the outcome names them', async () => {
  const steps = [...STEPS, { id: 'c', tool: 'log' }];
  const runtime = worker({ tools: [main(), failing(), log()], steps, criteria: [DONE] });
  const run = await work(runtime);
  expect(run.terminalCode).toBe('PARTIAL_SUCCESS');
  expect(run.why).toEqual(['step b is not done: notify failed: smtp down', 'step c is not done: log was not called']);
  const sent = eventsOf(await eventsIn(runtime, run.runId), 'step_attempted').map(({ tool }) => tool);
  expect(sent).toEqual(['main', 'notify']);
  expect((await runtime.records.replay(run.runId)).state.work.estimate).toEqual(NO_ESTIMATE);
});

verifies(
  ID,
  'a step that fails before the primary criteria are met is repaired, and the run is handed over',
  async () => {
    const steps = [
      { id: 'b', tool: 'notify' },
      { id: 'a', tool: 'main' },
    ];
    const run = await work(worker({ tools: [main(), failing()], steps, criteria: [DONE, TOLD] }));
    expect(run).toMatchObject({ status: 'paused', terminalCode: null, suspended: { code: 'REPEATED_FAILURE' } });
  },
);

verifies(ID, 'a failed step that would supply more evidence of the goal is no secondary work', async () => {
  let calls = 0;
  const refund = reads('refund', 'done', () => {
    calls += 1;
    if (calls > 1) throw new Error('declined');
    return { ok: true };
  });
  const steps = [1, 2].map((n) => ({ id: `s${n}`, tool: 'refund', params: { n } }));
  const run = await work(worker({ tools: [refund], steps, criteria: [DONE] }));
  expect(run).toMatchObject({ status: 'paused', terminalCode: null, suspended: { code: 'REPEATED_FAILURE' } });
});

test('an invalid answer of secondary work is no partial success', async () => {
  const invalid = reads('notify', 'told', () => ({ ok: 'yes' }));
  const run = await work(worker({ tools: [main(), invalid], steps: STEPS, criteria: [DONE, TOLD] }));
  expect(run).toMatchObject({ terminalCode: null, suspended: { code: 'VALIDATION_FAIL' } });
});

test('a run without declared criteria needs each step', async () => {
  const run = await work(worker({ tools: [main(), failing()], steps: STEPS }));
  expect(run).toMatchObject({ terminalCode: null, suspended: { code: 'REPEATED_FAILURE' } });
});
