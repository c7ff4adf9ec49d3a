/** Models judge through one effect. Their answers are recorded, and replay derives the scores from them again. */
import { expect, test } from 'vitest';
import { Fault } from '../../../src/model/fault/fault.ts';
import { eventsOf } from '../endings/turns.ts';
import { judgeAnswer, judgedRig } from './bench.ts';

test('asks a judge between commit and judgement, and adds a score for it', async () => {
  const { invoke, events, runtime } = judgedRig([{ says: [judgeAnswer(0.9, 'fine')] }]);
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
  const { state } = await runtime.records.replay(run_id);
  expect(state.ending.terminal?.code).toBe('SUCCESS');
  expect(state.manifest?.evaluator_versions).toMatchObject({ judges: '1', reader: '1' });
  expect(state.budget?.roles.critic).toMatchObject({
    used: { input_tokens: 100, output_tokens: 50, cost_microusd: 200 },
    reserved: { input_tokens: 0, output_tokens: 0 },
  });
});

test('asks and spends nothing without a judge', async () => {
  const { invoke, events } = judgedRig([]);
  const { runId: run_id } = await invoke();
  const all = await events(run_id);
  expect(eventsOf(all, 'judges_answered')).toEqual([]);
  expect(eventsOf(all, 'step_judged')[0]?.scores).not.toHaveProperty('judges');
});

test('records a failed judge', async () => {
  const { invoke, events } = judgedRig([{ says: [new Fault('model_rejected', 'no')] }]);
  const outcome = await invoke();
  const all = await events(outcome.runId);
  expect(eventsOf(all, 'judges_answered')[0]?.answers).toMatchObject([{ outcome: 'failed', text: '' }]);
});
