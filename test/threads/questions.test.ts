/** The questions of an agent stay in the conversation, with the field that each answer fills. */
import { agent, ambit, tool } from 'ambit';
import { scriptedModel } from 'ambit/testing';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

const user = { name: 'ada', tenant: 'acme' };
const thread = 'th_1';
const QUESTION = 'How many nights?';
const ASK = { id: 'ask', tool: 'clarify', params: { question: QUESTION, fields: ['nights'] } };
const LOOK = { id: 'look', tool: 'rooms.find', params: {} };
const planOf = (...steps: readonly object[]): object => ({ steps, decision_checkpoints: [] });
const WRITTEN = { sentences: [] };

function open(trusted: boolean, script: readonly object[]) {
  const model = scriptedModel(script);
  const findRoom = tool({
    name: 'rooms.find',
    description: 'Find a room',
    approvalMode: 'read_only',
    inputSchema: z.object({}),
    outputSchema: z.object({ room: z.string() }),
    execute: () => ({ room: 'A1' }),
    effects: { produces: ['room'] },
    risk: { trusted },
    rules: { action: 'summarize_account' },
  });
  const hotel = agent({ name: 'hotel', model, tools: [findRoom], boundary: 'customer_support', budget: 'standard' });
  const runtime = ambit({ agent: hotel, store: 'memory' });
  onTestFinished(() => runtime.close());
  const say = (message: string) => runtime.invoke({ message, user, thread });
  return { model, say, read: () => runtime.threads.get(thread, { tenant: 'acme' }) };
}

test('the next message finds the question of a model, its field and the answer', async () => {
  const { model, say, read } = open(true, [planOf(ASK), planOf(LOOK), WRITTEN, planOf(LOOK), WRITTEN]);
  expect(await say('A room, please')).toMatchObject({ status: 'paused', question: { fields: ['nights'] } });
  await say('42');
  await say('And a cot');
  const { messages } = await read();
  expect(messages.slice(0, 3)).toMatchObject([
    { by: 'requester', text: 'A room, please', trusted: true },
    { by: 'agent', text: 'How many nights? (nights)', trusted: true },
    { by: 'requester', text: 'nights: 42', trusted: true },
  ]);
  const planned = model.prompts.findLast(({ template }) => template.name === 'plan_first');
  expect(planned?.system).toContain('- you: "How many nights? (nights)"\n- the user: "nights: 42"');
});

test('a question of a model that had read untrusted text is not trusted, and its answer is shown without a field', async () => {
  const { say, read } = open(false, [planOf(LOOK, ASK), planOf(LOOK), WRITTEN]);
  expect(await say('A room, please')).toMatchObject({ question: { fields: ['nights'] } });
  await say('42');
  expect((await read()).messages.slice(1, 3)).toMatchObject([
    { by: 'agent', text: 'How many nights? (nights)', trusted: false },
    { by: 'requester', text: '42', trusted: true },
  ]);
});
