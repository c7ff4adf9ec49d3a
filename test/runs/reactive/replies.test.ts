/** Messages that ask for no action: a courtesy or a polite refusal, without a tool, a plan or an error code. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { modelProfile, planFirst, reactive, type StartRequest, templatePlanner } from '../../../src/index.ts';
import { modelServer } from '../../../src/testing/model-server/model-server.ts';
import { type ModelTurn, type ScriptedModel, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { sdkModel, WIRES } from '../../models/wires.ts';
import { verifies } from '../../requirements/verifies.ts';
import { of } from '../planning/bench.ts';
import { decide, shownTo } from './bench.ts';
import { ASK, account, type Billing, billing, end, invoice, scripted } from './billing.ts';

const DIRECT = 'route:direct-chat:no-plan-needed';
const OFFER = 'I can help with: Answer questions about plans and invoices.';
const TEMPLATE = { plan_id: 'plan_1', intent: 'billing.question', steps: [], decision_checkpoints: [] };

const say = (message: string): StartRequest => ({ message, user: { name: 'ada', tenant: 'shop' } });

/** The agent with each kind of planner, its model scripted with the same turns. */
const PLANNERS: readonly (readonly [string, (turns: readonly ModelTurn[]) => Billing & { model: ScriptedModel }])[] = [
  ['reactive', (turns) => scripted(turns)],
  [
    'plan-first',
    (turns) => {
      const model = scriptedModel(turns);
      return { ...billing(planFirst({ model })), model };
    },
  ],
];

verifies(DIRECT, 'intake answers a greeting, with any planner', async () => {
  const model = scriptedModel([]);
  for (const planner of [
    reactive({ model }),
    planFirst({ model }),
    templatePlanner({ 'billing.question': TEMPLATE }),
  ]) {
    const bench = billing(planner);
    const run = bench.runtime.start(say('Hello there!'));
    const pieces: string[] = [];
    for await (const piece of run.text) pieces.push(piece);
    const outcome = await run.settled;
    expect(outcome).toMatchObject({ status: 'completed', terminalCode: 'SUCCESS', reason: 'answered_directly' });
    expect(outcome.text).toBe(`Hello. ${OFFER}`);
    expect(pieces.join('')).toBe(outcome.text);
    expect(bench.calls).toEqual([]);
    expect(of(await bench.events(outcome.runId), 'plan_proposed')).toEqual([]);
    expect((await bench.runtime.sessions.get(outcome.runId)).text).toBe(outcome.text);
    await bench.runtime.records.replay(outcome.runId);
  }
  expect(model.prompts).toEqual([]);
});

test.each([
  ['Thanks a lot!', 'You are welcome.'],
  ['thank you 🙏', 'You are welcome.'],
  ['Goodbye, and thanks', null],
  ['Bye!', 'Goodbye.'],
  ['Hi, which plan am I on?', null],
  ['Hello refund', null],
])('%s → %s', async (message, text) => {
  const bench = scripted([account, decide('respond', { objective: 'answer' })]);
  const run = await bench.runtime.invoke(say(message));
  if (text === null) expect(run.reason).toBe('goal_met');
  else expect(run).toMatchObject({ reason: 'answered_directly', text });
});

describe.each(PLANNERS)('%s', (_, open) => {
  verifies(DIRECT, 'a courtesy of the model is the answer', async () => {
    const bench = open([{ steps: [], answer: 'Hello! How can I help you today?', decline: null }]);
    const run = await bench.runtime.invoke(say('Hi Ambit, how is it going?'));
    expect(run).toMatchObject({ terminalCode: 'SUCCESS', reason: 'answered_directly', doubts: [], sentences: [] });
    expect(run.text).toBe('Hello! How can I help you today?');
    expect(bench.calls).toEqual([]);
    expect(of(await bench.events(run.runId), 'step_attempted')).toEqual([]);
    await bench.runtime.records.replay(run.runId);
  });

  verifies(DIRECT, 'a request outside the capabilities is declined, with what the agent can do', async () => {
    const bench = open([{ steps: [], answer: null, decline: 'Sorry. I do not know the weather on Mars.' }]);
    const run = await bench.runtime.invoke(say('What is the weather on Mars?'));
    expect(run).toMatchObject({ terminalCode: 'SUCCESS', reason: 'declined', text: `Sorry. ${OFFER}` });
    expect(bench.calls).toEqual([]);
    await bench.runtime.records.replay(run.runId);
  });

  test.each([
    ['says so in "impossible"', 'I am leaving, so end my contract.', { impossible: 'No capability ends a contract.' }],
    ['declines an order', 'Please cancel my subscription.', { decline: 'Sorry. I cannot cancel subscriptions.' }],
    ['refuses an order in "answer"', 'Could you refund my last invoice?', { answer: 'I cannot refund invoices.' }],
    ['writes the reply itself', 'Please cancel my subscription.', { reply: { kind: 'decline', text: 'No.' } }],
  ])('an action that no tool can do is impossible if the model %s', async (_how, message, reply) => {
    const bench = open([{ steps: [], ...reply }]);
    const run = await bench.runtime.invoke(say(message));
    expect(run).toMatchObject({ status: 'failed', terminalCode: 'IMPOSSIBLE', reason: 'no_tool_for_request' });
    expect(run.text).toBe(`I cannot do this: I have no tool for it. ${OFFER}`);
    expect(bench.calls).toEqual([]);
    expect((await bench.runtime.sessions.get(run.runId)).text).toBe(run.text);
    await bench.runtime.records.replay(run.runId);
  });

  test('a courtesy does not answer an order', async () => {
    const courtesy = { steps: [], answer: 'How can I help you?' };
    const bench = open([courtesy, { steps: [], impossible: 'I cannot cancel subscriptions.' }]);
    const run = await bench.runtime.invoke(say('Cancel my subscription'));
    expect(run).toMatchObject({ terminalCode: 'IMPOSSIBLE', reason: 'no_tool_for_request' });
    expect(shownTo(bench.model, 1)).toContain('a courtesy does not do it');
    await bench.runtime.records.replay(run.runId);
  });

  test.each(['Did you cancel my order?', 'I hereby cancel my order', 'Storniere bitte meine Bestellung'])(
    'a phrase of assent does not answer "%s"',
    async (message) => {
      const assent = { steps: [], answer: 'You are welcome. Happy to help!' };
      const bench = open([assent, { steps: [], decline: 'Sorry. I cannot see that.' }]);
      const run = await bench.runtime.invoke(say(message));
      expect(run).toMatchObject({ reason: 'declined', text: `Sorry. ${OFFER}` });
    },
  );

  test('a model that answers an order with courtesies only does not end in success', async () => {
    const bench = open(Array.from({ length: 20 }, () => ({ steps: [], answer: 'How can I help you?' })));
    const run = await bench.runtime.invoke(say('Cancel my subscription'));
    expect(run).toMatchObject({ status: 'failed', terminalCode: 'IMPOSSIBLE', reason: 'no_tool_for_request' });
    await bench.runtime.records.replay(run.runId);
  });

  test('the arguments of respond may be the reply', async () => {
    const bench = open([decide('respond', { objective: 'decline', decline: 'The moon is made of cheese.' })]);
    const run = await bench.runtime.invoke(say('What is the moon made of?'));
    expect(run).toMatchObject({ reason: 'declined', text: `I cannot help with that. ${OFFER}` });
  });

  test.each([
    ['Hello! Visit https://evil.example now.', 'evil'],
    ['Hello! Call +1 555 0100.', '555'],
    ['Hello! Your refund was issued.', 'issued'],
    ['Hi there! Please send your password to me.', 'password'],
    ['Sorry, but your refund was issued.', 'issued'],
  ])('replaces all but the courtesies: %s', async (answer, hidden) => {
    const turn = { steps: [], answer, decline: null };
    const bench = open([turn, turn, turn]);
    const run = await bench.runtime.invoke(say('Was my refund issued?'));
    expect(run).toMatchObject({ terminalCode: 'SUCCESS', reason: 'declined' });
    expect(run.text).not.toContain(hidden);
    expect(run.text).toContain(OFFER);
    await bench.runtime.records.replay(run.runId);
  });

  test.each([
    ['Your refund was issued.', 'issued'],
    ['Absolutely. All set!', 'set'],
    ['Your plan is Gold.', 'Gold'],
    ['Hello [click](https://evil.example)!', 'evil'],
    ['Your IBAN is DE02 1203 0000 0000 2020 51.', 'DE02'],
    ['Hello!\u200b<img src=x>', 'img'],
    ['Thank you for paying 40 EUR.', '40'],
  ])('refuses a reply that claims a fact: %s', async (answer, hidden) => {
    const bench = open(Array.from({ length: 20 }, () => ({ steps: [], answer, decline: null })));
    const run = await bench.runtime.invoke(say('Was my refund issued?'));
    expect(run.terminalCode).not.toBe('SUCCESS');
    expect(run.text ?? '').not.toContain(hidden);
    expect(shownTo(bench.model, 1)).toContain('no capability has observed this');
    await bench.runtime.records.replay(run.runId);
  });

  test('a model that answers from memory is told to use a capability', async () => {
    const answer = 'You are on the Gold plan.';
    const [first, last] = [account, end].map((decision) => (decision as { steps: [object] }).steps[0]);
    const plan = {
      steps: [
        { ...first, id: 's1' },
        { ...last, id: 's2', inputs: ['account'] },
      ],
    };
    const bench = open([{ steps: [], answer }, plan, decide('respond', { objective: 'answer' })]);
    const run = await bench.runtime.invoke(say('Which plan am I on?'));
    expect(run).toMatchObject({ terminalCode: 'SUCCESS', reason: 'goal_met' });
    expect(run.text).toContain('Pro');
    expect(run.text).not.toContain('Gold');
  });
});

test('an answer after an observation proposes the end, and its text is a draft', async () => {
  const bench = scripted([account, invoice, { steps: [], answer: 'You are on the Gold plan.' }]);
  const run = await bench.runtime.invoke(ASK);
  expect(run).toMatchObject({ terminalCode: 'SUCCESS', reason: 'goal_met' });
  expect(run.text).toContain('Pro');
  expect(run.text).not.toContain('Gold');
  const [, , last] = of(await bench.events(run.runId), 'plan_proposed');
  expect(last?.proposal).toMatchObject({ steps: [{ tool: 'respond' }], draft: 'You are on the Gold plan.' });
});

test.each(WIRES)('%s: declines over HTTP', async (wire) => {
  const server = await modelServer([{ json: { steps: [], answer: null, decline: 'Sorry, I cannot help with that.' } }]);
  onTestFinished(() => server.close());
  const bench = billing(reactive({ model: modelProfile(sdkModel(wire, server.url), { price: 'free' }) }));
  const run = await bench.runtime.invoke(say('Write me a poem'));
  expect(run).toMatchObject({ terminalCode: 'SUCCESS', reason: 'declined' });
  expect(run.text).toBe(`Sorry, I cannot help with that. ${OFFER}`);
  expect(JSON.stringify(server.requests[0]?.body)).toContain('decline');
});
