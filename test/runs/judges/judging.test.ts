/** Models judge through one effect; what they said is on record, and what it means is derived again in replay. */
import { expect, test } from 'vitest';
import { Fault } from '../../../src/model/fault.ts';
import { eventsOf } from '../endings/turns.ts';
import { gives, judged } from './bench.ts';

test('a judge is asked after the commit and before the judgement, and feeds a score of its own', async () => {
  const { invoke, events, runtime } = judged([{ says: [gives(0.9, 'fine')] }]);
  const { runId: run_id, terminalCode } = await invoke();
  expect(terminalCode).toBe('SUCCESS');
  const all = await events(run_id);
  const types = all.map(({ type }) => type);
  const at = types.indexOf('judges_answered');
  expect(types[at - 1]).toBe('step_committed');
  expect(types[at + 1]).toBe('step_judged');
  const [answered] = eventsOf(all, 'judges_answered');
  expect(answered).toMatchObject({
    about: 'a',
    answers: [{ judge: 'reader@1', outcome: 'answered', text: expect.stringContaining('"quality":0.9') }],
    spent: { input_tokens: 100, output_tokens: 50, microusd: 200 },
    calls: [{ role: 'judge', profile: 'reader-usual', template: 'judge@1', outcome: 'answered' }],
  });
  expect(answered?.answers[0]?.response).toBe(answered?.calls?.[0]?.response);
  expect(JSON.stringify(answered)).not.toContain('score');
  expect(eventsOf(all, 'step_judged')).toMatchObject([
    { scores: { policy: 1, utility: 1, judges: 0.9 }, criteria: { 'judges@1': 0.9, 'reader@1': 0.9 } },
  ]);
  const { state } = await runtime.replay(run_id);
  expect(state.ending.terminal?.code).toBe('SUCCESS');
  expect(state.manifest?.evaluator_versions).toMatchObject({ judges: '1', reader: '1' });
  expect(state.budget?.roles.critic).toMatchObject({
    used: { input_tokens: 100, output_tokens: 50, cost_microusd: 200 },
    reserved: { input_tokens: 0, output_tokens: 0 },
  });
});

test('without a judge nobody is asked and nothing is spent', async () => {
  const { invoke, events } = judged([]);
  const { runId: run_id } = await invoke();
  const all = await events(run_id);
  expect(eventsOf(all, 'judges_answered')).toEqual([]);
  expect(eventsOf(all, 'step_judged')[0]?.scores).not.toHaveProperty('judges');
});

test('a judge fails', async () => {
  const { invoke, events } = judged([{ says: [new Fault('model_rejected', 'no')] }]);
  const outcome = await invoke();
  const all = await events(outcome.runId);
  expect(eventsOf(all, 'judges_answered')[0]?.answers).toMatchObject([{ outcome: 'failed', text: '' }]);
  expect(outcome).toMatchObject({});
});
