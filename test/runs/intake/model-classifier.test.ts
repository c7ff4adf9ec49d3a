/**
 * A model may choose between the readings of an ambiguous request. It adds none, and the user decides if it is unsure.
 */
import { expect, test } from 'vitest';
import { ambit, modelClassifier } from '../../../src/compose.ts';
import { Fault } from '../../../src/model/fault/fault.ts';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
import { type ModelTurn, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { verifies } from '../../requirements/verifies.ts';
import { profileOf } from '../model-profile.ts';
import { countingIds, REQUEST, START_MS } from '../rig.ts';
import { accountAgent, CLOSE_IT } from './accounts.ts';

function classifierBench(turns: readonly ModelTurn[], costs: AgentSpec['budget']['overrides'] = {}) {
  const model = scriptedModel(turns);
  const clock = simulatedClock(START_MS);
  const sent: string[] = [];
  const parts = accountAgent(sent);
  const budget = { ...parts.agent.budget, overrides: { ...parts.agent.budget.overrides, ...costs } };
  const retry = { attempts: 1, baseMs: 0, jitter: 0, waitMsMax: 0 };
  const runtime = ambit({
    ...parts,
    agent: { ...parts.agent, budget },
    world: {
      clock,
      timer: clock,
      ids: countingIds(),
      classifier: modelClassifier({ model: profileOf(model, { retry }) }),
    },
  });
  const invoke = (statement: string = CLOSE_IT.statement) =>
    runtime.invoke({ ...REQUEST, intent: 'close', goal: { ...CLOSE_IT, statement } });
  const events = async (runId: string) =>
    (await runtime.records.frames(runId)).flatMap((frame) => JSON.parse(frame.events));
  return { runtime, model, sent, invoke, events };
}

test('plans a confident reading, charges and records it, and replays it', async () => {
  const { runtime, model, sent, invoke, events } = classifierBench([{ intent: 'lock_account', confidence: 0.9 }]);
  const run = await invoke();
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(sent).toEqual(['lock']);
  const recorded = await events(run.runId);
  expect(recorded.find(({ type }) => type === 'intent_read')).toMatchObject({
    intent: 'lock_account',
    calls: [{ role: 'classifier', template: 'classify@2', outcome: 'answered' }],
    spent: { input_tokens: 100, output_tokens: 50, microusd: 300 },
  });
  expect(recorded.find(({ type }) => type === 'run_initialized').manifest).toMatchObject({
    model_versions: { router: 'scripted/scripted-1' },
    prompt_template_versions: { classify: '2' },
  });
  expect(model.prompts[0]?.system).toContain('delete_account');
  await runtime.records.replay(run.runId);
  model.assertDrained();
});

test('keeps the risk of the riskiest reading', async () => {
  const { invoke, events } = classifierBench([{ intent: 'lock_account', confidence: 1 }]);
  const recorded = await events((await invoke()).runId);
  expect(recorded.find(({ type }) => type === 'intent_classified')).toMatchObject({ risk: 'high' });
});

test('accepts a confidence at the threshold, and asks the user below it', async () => {
  const enough = classifierBench([{ intent: 'lock_account', confidence: 0.7 }]);
  expect(await enough.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  const less = classifierBench([{ intent: 'lock_account', confidence: 0.699 }]);
  expect(await less.invoke()).toMatchObject({ status: 'paused', suspended: { code: 'AMBIGUOUS_INTENT' } });
});

test.for([
  ['it is unsure', { intent: 'delete_account', confidence: 0.5 }],
  ['it names an unknown intent', { intent: 'wipe_everything', confidence: 1 }],
  ['it is not sure that there is none', { intent: 'none', confidence: 0.6 }],
  ['it answers prose', 'Surely they want it deleted.'],
  ['it cannot be reached', new Fault('model_unreachable', 'connection refused')],
] as const)('asks the user when %s', async ([, turn]) => {
  const { invoke, sent, model } = classifierBench([turn]);
  const run = await invoke();
  expect(run).toMatchObject({ status: 'paused', suspended: { code: 'AMBIGUOUS_INTENT' } });
  expect(run.question?.readings).toEqual(expect.arrayContaining(['lock_account', 'delete_account']));
  expect(sent).toEqual([]);
  model.assertDrained();
});

verifies('route:direct-chat:no-plan-needed', 'declines a request that is surely outside of all intents', async () => {
  const { invoke, sent, runtime } = classifierBench([{ intent: 'none', confidence: 0.95 }]);
  const run = await invoke('How close is the account of Mars to the sun?');
  expect(run).toMatchObject({ status: 'completed', terminalCode: 'SUCCESS', reason: 'declined' });
  expect(run.text).toBe(
    'I cannot help with that. I can help with: Close the account to the customer for a while; Close the account of the customer for good.',
  );
  expect(sent).toEqual([]);
  await runtime.records.replay(run.runId);
});

test('ends an order that is surely outside of all intents as impossible', async () => {
  const { invoke, sent, runtime } = classifierBench([{ intent: 'none', confidence: 0.95, action_requested: true }]);
  const run = await invoke('Please close the blinds of the office');
  expect(run).toMatchObject({ status: 'failed', terminalCode: 'IMPOSSIBLE', reason: 'no_tool_for_request' });
  expect(run.text).toMatch(/^I cannot do this: I have no tool for it\. I can help with: /u);
  expect(sent).toEqual([]);
  await runtime.records.replay(run.runId);
});

verifies('route:direct-chat:no-plan-needed', 'answers a greeting before any intent is chosen', async () => {
  const { runtime, sent, model } = classifierBench([]);
  const run = await runtime.invoke({ ...REQUEST, intent: 'unknown', goal: { statement: 'Good morning!' } });
  expect(run).toMatchObject({ terminalCode: 'SUCCESS', reason: 'answered_directly' });
  expect(run.text).toMatch(/^Hello\. I can help with: /u);
  expect([sent, model.prompts]).toEqual([[], []]);
});

test('does not call the model for a request that names its intent', async () => {
  const { runtime, model, sent } = classifierBench([]);
  await runtime.invoke({ ...REQUEST, intent: 'lock_account', goal: CLOSE_IT });
  expect(model.prompts).toEqual([]);
  expect(sent).toEqual(['lock']);
});

test('ends a run before planning if the classification exceeds the budget', async () => {
  const { invoke, sent } = classifierBench([{ intent: 'lock_account', confidence: 0.9 }], { input_tokens_max: 50 });
  const run = await invoke();
  expect(run).toMatchObject({ terminalCode: 'BUDGET_EXHAUSTED' });
  expect(sent).toEqual([]);
});
