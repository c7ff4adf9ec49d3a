/** A conversation of any length goes on with an agent that names nothing but its model. */
import { agent, ambit, reactive, tool } from 'ambit';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { RunEvent } from '../../src/model/events/event.ts';
import type { Json } from '../../src/model/json/json.ts';
import type { LanguageModel, ModelPrompt } from '../../src/ports/model/language-model.ts';
import { UNREPORTED_USAGE } from '../../src/ports/model/language-model.ts';

const TURNS = 60;
const SLOW = 300_000;
const ANSWER = 'The place is Bremen.';
const WORDS = 'The parcel for my order is late, and nobody has told me where it is or when it comes. ';
const longMessage = (turn: number): string => `Turn ${turn}: ${WORDS.repeat(40)}`.slice(0, 3_000);
const user = { name: 'ada', tenant: 'acme' };
const thread = 'th_long';

interface Talk {
  readonly model: LanguageModel;
  readonly prompts: readonly ModelPrompt[];
}

/** Plans one look-up, composes one sentence and reads every request as the first intent. It reports no usage. */
function talkingModel(compress: Json): Talk {
  const prompts: ModelPrompt[] = [];
  const answers: Readonly<Record<string, (text: string) => Json>> = {
    plan_first: () => ({ steps: [{ id: 'look', tool: 'parcels.find', params: {} }], decision_checkpoints: [] }),
    reactive: (text) => ({
      steps: [
        text.includes('Observation of step')
          ? { id: 'end', tool: 'respond', params: { objective: 'the place' } }
          : { id: 'look', tool: 'parcels.find', params: {} },
      ],
    }),
    compose: (text) => {
      const ref = /^# Fact (?<ref>\S+)$/m.exec(text)?.groups?.['ref'] ?? '';
      return { sentences: [{ text: ANSWER, cites: [{ ref, pointer: '/place' }] }] };
    },
    classify: () => ({ intent: 'parcel.find', confidence: 0.95 }),
    compress: () => compress,
  };
  const model: LanguageModel = {
    id: 'scripted/talking',
    price: { input: 0, output: 0 },
    generate: async (prompt) => {
      prompts.push(prompt);
      const text = JSON.stringify(answers[prompt.template.name]?.(textOf(prompt)) ?? null);
      return { ok: true, answer: { text, finish: 'stop', usage: UNREPORTED_USAGE, model: 'talking' } };
    },
  };
  return { model, prompts };
}

const textOf = ({ system, messages }: ModelPrompt): string =>
  [system, ...messages.map(({ text }) => text)].join('\n\n');

const findParcel = (trusted: boolean): ReturnType<typeof tool> =>
  tool({
    name: 'parcels.find',
    description: 'Find the parcel of the user',
    approvalMode: 'read_only',
    inputSchema: z.object({}),
    outputSchema: z.object({ place: z.string() }),
    execute: () => ({ place: 'Bremen' }),
    effects: { produces: ['parcel'] },
    risk: { trusted },
    rules: { action: 'summarize_account' },
  });

const criteria = [{ id: 'found', statement: 'The parcel is found.', evidence: 'parcel' }];
const INTENTS = [
  { intent: 'parcel.find', description: 'Say where a parcel is', criteria },
  { intent: 'parcel.describe', description: 'Describe a parcel', criteria },
];

interface Shape {
  /** The agent decides one step at a time. */
  readonly isReactive?: boolean;
  readonly intents?: number;
  readonly trusted?: boolean;
  /** The answer of a model that compresses. Default: the agent names no reviewer. */
  readonly compress?: Json;
}

/** A runtime of the shape that the README shows, and the prompts of its model. */
function open({ intents = 1, trusted = true, compress, isReactive = false }: Shape = {}) {
  const { model, prompts } = talkingModel(compress ?? null);
  const helper = agent({
    name: 'helper',
    model: model as never,
    tools: [findParcel(trusted)],
    boundary: 'customer_support',
    budget: 'standard',
    ...(isReactive ? { planner: reactive({ model: model as never }) } : {}),
    ...(compress === undefined ? {} : { models: { reviewer: model as never } }),
    ...(intents === 1 ? {} : { intents: INTENTS }),
  });
  const runtime = ambit({ agent: helper, store: 'memory' });
  onTestFinished(() => runtime.close());
  const eventsOf = async (runId: string): Promise<readonly RunEvent[]> => {
    const events: RunEvent[] = [];
    for await (const { event } of runtime.sessions.watch(runId)) events.push(event as RunEvent);
    return events;
  };
  const say = (message: string) => runtime.invoke({ message, user, thread });
  const lastPrompt = (template: string): string => {
    const prompt = prompts.findLast((each) => each.template.name === template);
    if (prompt === undefined) throw new Error(`no prompt of ${template}`);
    return textOf(prompt);
  };
  const read = () => runtime.threads.get(thread, { tenant: user.tenant });
  return { runtime, eventsOf, say, lastPrompt, read };
}

test.each([1, 2])(
  'sixty turns of 3,000 characters are all answered by the model of an agent with %i intents',
  async (intents) => {
    const { say, runtime, lastPrompt, read } = open({ intents });
    for (let turn = 1; turn <= TURNS; turn += 1) {
      const { terminalCode, text, sentences } = await say(longMessage(turn));
      expect([turn, terminalCode, text]).toEqual([turn, 'SUCCESS', ANSWER]);
      expect(sentences).toHaveLength(1);
    }
    for (const template of ['plan_first', 'compose']) expect(lastPrompt(template)).toContain('the user: "Turn 59: ');
    const { runs, messages } = await read();
    expect(runs).toHaveLength(TURNS);
    expect(messages[0]).toMatchObject({ by: 'digest', trusted: true, sources: [] });
    expect(messages[0]?.text).toContain('- the user: "Turn 40: ');
    expect(messages[0]?.text).toContain(`- you, from parcels.find: ${JSON.stringify(ANSWER)}`);
    for (const { runId } of runs.slice(-6)) await runtime.records.replay(runId);
  },
  SLOW,
);

test('a reactive planner reads what fits at every step of every turn', { timeout: SLOW }, async () => {
  const { say } = open({ isReactive: true });
  for (let turn = 1; turn <= 45; turn += 1) {
    const { terminalCode, text } = await say(longMessage(turn));
    expect([turn, terminalCode, text]).toEqual([turn, 'SUCCESS', ANSWER]);
  }
});

test('a classifier reads the newest messages that fit, and its prompt says how many do not', {
  timeout: SLOW,
}, async () => {
  const { say, lastPrompt } = open({ intents: 2 });
  for (let turn = 1; turn <= 9; turn += 1) await say(longMessage(turn));
  const shown = lastPrompt('classify');
  expect(shown).toMatch(/the runtime: "\d+ older messages are not shown here, because they do not fit\."/);
  expect(shown).toContain('the user: "Turn 8: ');
  expect(shown).not.toContain('the user: "Turn 1: ');
});

test('words of outsiders stay untrusted after every compression, and taint the plans', { timeout: SLOW }, async () => {
  const { say, eventsOf, lastPrompt, read } = open({ trusted: false });
  for (let turn = 1; turn <= 25; turn += 1) await say(longMessage(turn));
  const { runs, messages } = await read();
  const [digest, ...others] = messages;
  expect(digest).toMatchObject({ by: 'digest', trusted: false });
  expect(digest?.text).toContain('- you, from parcels.find, not trusted: ');
  expect(new Set(others.map(({ by, trusted }) => `${by} ${trusted}`))).toEqual(
    new Set(['requester true', 'agent false']),
  );
  expect(lastPrompt('plan_first')).toContain('not trusted');
  const verified = (await eventsOf(runs.at(-1)?.runId ?? '')).find((event) => event.type === 'plan_verified');
  expect(verified).toMatchObject({ tainted: true });
});

test.each<[string, Json]>([
  ['names nothing to keep', { kept: {}, dropped: [], digest: 'Nothing' }],
  ['answers in prose', 'I would rather not.'],
])('a compressor that %s ends no run: the models read the newest messages', { timeout: SLOW }, async (_, compress) => {
  const { say, eventsOf, lastPrompt, read } = open({ compress });
  for (let turn = 1; turn <= 20; turn += 1) {
    const { terminalCode, text } = await say(longMessage(turn));
    expect([turn, terminalCode, text]).toEqual([turn, 'SUCCESS', ANSWER]);
  }
  const { runs } = await read();
  const compressed = (await eventsOf(runs.at(-1)?.runId ?? '')).find((event) => event.type === 'context_compressed');
  expect(compressed).toBeDefined();
  expect(lastPrompt('compose')).toContain('older messages are not shown here');
});

test('after a message that is longer than an answer may take, the next ones are answered by the model', async () => {
  const { say, lastPrompt } = open();
  expect(await say(longMessage(1).repeat(25))).toMatchObject({ text: 'Place: Bremen.' });
  for (const message of ['And now?', 'And now?']) expect(await say(message)).toMatchObject({ text: ANSWER });
  expect(lastPrompt('compose')).toContain('- the user: \\"Turn 1: ');
});
