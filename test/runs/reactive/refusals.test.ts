/** Actions that no tool can do: the run ends IMPOSSIBLE with a readable text, whenever and however the model says so. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, ambit, modelClassifier, planFirst, reactive, type StartRequest, tool } from '../../../src/index.ts';
import type { RunEvent } from '../../../src/model/events/event.ts';
import { type ModelTurn, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { of } from '../planning/bench.ts';
import { decide, shownTo } from './bench.ts';
import { account, type Billing, billing, scripted } from './billing.ts';

const OFFER = 'I can help with: Answer questions about plans and invoices.';
const NO_TOOL = `I cannot do this: I have no tool for it. ${OFFER}`;
const IMPOSSIBLE = { status: 'failed', terminalCode: 'IMPOSSIBLE', reason: 'no_tool_for_request', text: NO_TOOL };

const say = (message: string): StartRequest => ({ message, user: { name: 'ada', tenant: 'shop' } });
const times = (count: number, turn: ModelTurn): readonly ModelTurn[] => Array.from({ length: count }, () => turn);

const PLANNERS: readonly (readonly [string, (turns: readonly ModelTurn[]) => Billing])[] = [
  ['reactive', (turns) => scripted(turns)],
  ['plan-first', (turns) => billing(planFirst({ model: scriptedModel(turns) }))],
];

describe('after the first lookup', () => {
  test.each([
    ['says so in "impossible"', { steps: [], impossible: 'No capability cancels subscriptions.' }],
    ['declines', { steps: [], decline: { text: 'Sorry.', action_requested: true } }],
    ['declines and denies the order', { steps: [], decline: { text: 'Sorry.', action_requested: false } }],
    ['declines in a text', { steps: [], decline: 'Sorry. I cannot cancel subscriptions.' }],
    ['writes the reply itself', { steps: [], reply: { kind: 'impossible', text: 'No.' } }],
    ['refuses in "answer"', { steps: [], answer: 'I cannot cancel subscriptions.' }],
  ])('an action is impossible if the model %s', async (_how, turn) => {
    const bench = scripted([account, turn]);
    const run = await bench.runtime.invoke(say('Cancel my subscription'));
    expect(run).toMatchObject(IMPOSSIBLE);
    expect(run.why).toEqual([
      'no tool of the run does what the message asks; its tools are billing.account and billing.invoice',
    ]);
    expect(bench.calls).toEqual(['billing.account']);
    expect(bench.model.prompts).toHaveLength(2);
    await bench.runtime.records.replay(run.runId);
  });

  test('the prompt lets the model say so', async () => {
    const bench = scripted([account, { steps: [], impossible: 'No.' }]);
    await bench.runtime.invoke(say('Cancel my subscription'));
    const [, second] = bench.model.prompts;
    expect(second?.system).toContain('"impossible"');
    expect(Object.keys(second?.schema?.json['properties'] ?? {})).toContain('impossible');
    expect(Object.keys(second?.schema?.json['properties'] ?? {})).not.toContain('decline');
  });

  test('an answer with the results stays an answer', async () => {
    const bench = scripted([account, { steps: [], answer: 'You are on the Gold plan.' }]);
    const run = await bench.runtime.invoke(say('Which plan am I on?'));
    expect(run).toMatchObject({ terminalCode: 'SUCCESS', reason: 'goal_met' });
    expect(run.text).toContain('Pro');
  });
});

describe.each(PLANNERS)('%s', (name, open) => {
  test.each([
    ['Cancel my subscription', 'I cannot cancel subscriptions.'],
    ['Shut down the server', 'There is no capability that shuts a server down. I am unable to do it.'],
    ['Storniere meine Bestellung', 'Das kann ich leider nicht tun.'],
  ])('%s: a model that writes prose only ends in IMPOSSIBLE', async (message, prose) => {
    const run = await open(times(9, prose)).runtime.invoke(say(message));
    expect(run).toMatchObject(IMPOSSIBLE);
    expect(run.why).not.toEqual([]);
  });

  test('prose that claims a fact is no refusal and reaches no user', async () => {
    const run = await open(times(20, 'Your plan is Gold.')).runtime.invoke(say('Which plan am I on?'));
    expect(run.terminalCode).not.toBe('SUCCESS');
    expect(run.text ?? '').not.toContain('Gold');
  });

  test.each([
    'Shut down the server',
    'Drop my plan to Basic',
    'I want it refunded',
    'Storniere bitte meine Bestellung',
    'Cancela mi suscripción',
  ])('"%s" is impossible, because the model says that an action was requested', async (message) => {
    const bench = open([{ steps: [], decline: { text: 'Sorry.', action_requested: true } }]);
    const run = await bench.runtime.invoke(say(message));
    expect(run).toMatchObject(IMPOSSIBLE);
    const [proposed] = of(await bench.events(run.runId), 'plan_proposed');
    expect(proposed?.proposal).toMatchObject({ reply: { kind: 'decline', action_requested: true } });
    await bench.runtime.records.replay(run.runId);
  });

  test.each(['Book recommendations please', 'Open question: what is love?', 'Run me through your favourite film'])(
    '"%s" is declined',
    async (message) => {
      const bench = open([{ steps: [], decline: { text: 'Sorry. I only know invoices.', action_requested: false } }]);
      const run = await bench.runtime.invoke(say(message));
      expect(run).toMatchObject({ terminalCode: 'SUCCESS', reason: 'declined', text: `Sorry. ${OFFER}` });
      expect(run.why).toEqual([]);
      await bench.runtime.records.replay(run.runId);
    },
  );

  test('a courtesy does not answer an action that the model says was requested', async () => {
    const courtesy = { steps: [], answer: { text: 'How can I help you?', action_requested: true } };
    const run = await open(times(9, courtesy)).runtime.invoke(say('Shut down the server'));
    expect(run).toMatchObject(IMPOSSIBLE);
  });

  test('a courtesy answers a message that asks for no action', async () => {
    const courtesy = { steps: [], answer: { text: 'How can I help you?', action_requested: false }, decline: null };
    const run = await open([courtesy]).runtime.invoke(say('Are you there?'));
    expect(run).toMatchObject({ terminalCode: 'SUCCESS', reason: 'answered_directly', text: 'How can I help you?' });
  });

  test('a clear order about things of the user is impossible although the model denies it', async () => {
    const turn = { steps: [], decline: { text: 'Sorry.', action_requested: false } };
    expect(await open([turn]).runtime.invoke(say('Please cancel my subscription.'))).toMatchObject(IMPOSSIBLE);
  });

  test('steps together with "impossible" go back to the model once, and are not run if it insists', async () => {
    const both = { ...account, impossible: 'No capability cancels subscriptions.' };
    const bench = open(times(6, both));
    const run = await bench.runtime.invoke(say('Look my account up and cancel my subscription'));
    expect(run).toMatchObject(IMPOSSIBLE);
    expect(bench.calls).toEqual([]);
    await bench.runtime.records.replay(run.runId);
  });

  test('a criterion that a lookup meets does not make an impossible action a success', async () => {
    const both = { ...decide('lookup', {}, { context_key: 'account' }), impossible: 'No capability cancels plans.' };
    const model = scriptedModel(times(6, both));
    const { outcome } = await withCriteria(name === 'reactive' ? reactive({ model }) : planFirst({ model }));
    expect(outcome).toMatchObject({ terminalCode: 'IMPOSSIBLE', reason: 'no_tool_for_request' });
    expect(outcome.text).toContain('I have no tool for it');
  });
});

test('the steps of a plan run if the model takes "impossible" back', async () => {
  const bench = scripted([{ ...account, impossible: 'none' }, account, decide('respond', { objective: 'answer' })]);
  const run = await bench.runtime.invoke(say('Which plan am I on?'));
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(shownTo(bench.model, 1)).toContain('either steps or');
});

async function withCriteria(planner: ReturnType<typeof reactive>): Promise<{ outcome: { text: string | null } }> {
  const lookup = tool({
    name: 'lookup',
    description: 'Looks the account up',
    approvalMode: 'read_only',
    inputSchema: z.object({}),
    outputSchema: z.object({ plan: z.string() }),
    execute: () => ({ plan: 'Pro' }),
    risk: { trusted: true },
    effects: { produces: ['account'] },
    rules: { action: 'summarize_account' },
  });
  const criteria = [{ id: 'known', statement: 'The account is known.', evidence: 'account' }];
  const intents = [{ intent: 'billing.question', description: 'Answer questions', risk: 'low' as const, criteria }];
  const options = { name: 'billing', planner, tools: [lookup], intents, boundary: 'customer_support' as const };
  const runtime = ambit({ agent: agent({ ...options, budget: 'standard' }) });
  return { outcome: await runtime.invoke(say('Cancel my plan')) };
}

test.each([
  [true, 'Shut down the server', 'IMPOSSIBLE', 'no_tool_for_request'],
  [false, 'Cancel my subscription', 'IMPOSSIBLE', 'no_tool_for_request'],
  [false, 'What is love?', 'SUCCESS', 'declined'],
  [undefined, 'Cancel my subscription', 'IMPOSSIBLE', 'no_tool_for_request'],
])('a classifier that reads no intent and action_requested %s: "%s" → %s', async (requested, message, code, reason) => {
  const reading = { intent: 'none', confidence: 0.95 };
  const model = scriptedModel([requested === undefined ? reading : { ...reading, action_requested: requested }]);
  const intents = ['billing.question', 'billing.change'].map((intent) => ({
    intent,
    description: intent,
    risk: 'low' as const,
  }));
  const planner = reactive({ model: scriptedModel([]) });
  const options = { name: 'billing', planner, tools: [], intents, boundary: 'customer_support' as const };
  const runtime = ambit({
    agent: agent({ ...options, budget: 'standard' }),
    world: { classifier: modelClassifier({ model }) },
  });
  const run = await runtime.invoke(say(message));
  expect(run).toMatchObject({ terminalCode: code, reason });
  expect(run.why).toEqual(code === 'SUCCESS' ? [] : ['no intent of the agent covers what the message asks']);
  const frames = await runtime.records.frames(run.runId);
  const events = frames.flatMap((frame) => JSON.parse(frame.events) as RunEvent[]);
  expect(of(events, 'intent_read')[0]?.impossible).toBe(code === 'SUCCESS' ? undefined : true);
});
