import { expect, test } from 'vitest';
import { z } from 'zod';
import { agent, ambit, tool } from '../index.ts';
import { ruleModel } from './rule-model.ts';
import { scenario } from './scenario/scenario.ts';

const lookUp = tool({
  name: 'orders.lookup',
  description: 'Look up an order',
  approvalMode: 'read_only',
  inputSchema: z.object({ order_id: z.string() }),
  outputSchema: z.object({ order_id: z.string(), status: z.string(), items: z.array(z.string()) }),
  execute: ({ order_id }) => ({ order_id, status: 'shipped', items: ['mug'] }),
  risk: { trusted: true },
  rules: { complete: ['/items'] },
});

/** Runs messages with the rules of a shop. Returns the outcomes and the notes. */
async function ask(...messages: readonly string[]) {
  const notes: string[] = [];
  const model = ruleModel({
    plans: [
      {
        message: /order (?<order>\w+)/,
        plan: ({ order = '' }) => ({ steps: [{ id: 's1', tool: 'orders.lookup', params: { order_id: order } }] }),
      },
    ],
    sentences: { 'orders.lookup': 'The status of order {order_id} is {status}.' },
    note: (text) => notes.push(text),
  });
  const runtime = ambit({
    agent: agent({ name: 'shop', model, tools: [lookUp], boundary: 'customer_support', budget: 'standard' }),
  });
  const outcomes = [];
  for (const message of messages)
    outcomes.push(await runtime.invoke({ message, user: { name: 'ada', tenant: 'shop' } }));
  await runtime.close();
  return { outcomes, notes, model };
}

test('plans by the first rule that matches, and composes from the facts', async () => {
  const { outcomes, notes } = await ask('Where is order ord_7? "quoted"', 'And order ord_8?');
  expect(outcomes.map(({ terminalCode, text }) => [terminalCode, text])).toEqual([
    ['SUCCESS', 'The status of order ord_7 is shipped.'],
    ['SUCCESS', 'The status of order ord_8 is shipped.'],
  ]);
  expect(outcomes[0]?.sentences).toMatchObject([{ text: 'The status of order ord_7 is shipped.' }]);
  expect(notes).toEqual(['scripted model: no API key is set, so rules of this project play the model\n']);
});

test('plans by the answer to its question, which follows the message as a line', async () => {
  const question = { steps: [{ id: 'q', tool: 'clarify', params: { question: 'Which order?', fields: ['order'] } }] };
  const lookedUp = (order: string) => ({ steps: [{ id: 's1', tool: 'orders.lookup', params: { order_id: order } }] });
  const model = ruleModel({
    plans: [
      { message: /^Where is it\?\norder: (?<order>\w+)$/, plan: ({ order = '' }) => lookedUp(order) },
      { message: /^Where is it\?$/, plan: () => question },
    ],
    sentences: { 'orders.lookup': 'The status of order {order_id} is {status}.' },
    note: () => undefined,
  });
  const shop = agent({ name: 'shop', model, tools: [lookUp], boundary: 'customer_support', budget: 'standard' });
  await scenario(shop)
    .say('Where is it?')
    .answer({ order: 'ord_7' })
    .expectText('The status of order ord_7 is shipped.')
    .run();
});

test('declines a message without a rule, and fails on a prompt that it does not know', async () => {
  const { outcomes, model } = await ask('Sing a song');
  expect(outcomes).toMatchObject([{ terminalCode: 'SUCCESS', reason: 'declined', usage: { toolCalls: 0 } }]);
  const [prompt] = model.prompts;
  if (prompt === undefined) throw new Error('the model was not asked');
  const parameters = { temperature: null, outputTokensMax: 100, structured: true };
  const strange = { ...prompt, template: { name: 'judge', version: '1' } };
  expect(await model.generate(strange, parameters, AbortSignal.abort())).toMatchObject({
    ok: false,
    fault: { code: 'script_unexpected_call', message: 'the scripted model has no rule for the prompt judge' },
  });
});

test.each(['Paint the van', 'Please paint the van.', 'Could you paint the van?', 'I want you to paint the van'])(
  'says that the order %j is impossible if no rule matches',
  async (message) => {
    const { outcomes } = await ask(message);
    expect(outcomes).toMatchObject([{ terminalCode: 'IMPOSSIBLE', reason: 'no_tool_for_request' }]);
  },
);

test.each(['Which colour has the van?', 'The van is red', 'Please tell me a joke', 'Vans?'])(
  'declines %j, which orders no action',
  async (message) => {
    const { outcomes } = await ask(message);
    expect(outcomes).toMatchObject([{ terminalCode: 'SUCCESS', reason: 'declined' }]);
  },
);

test('a sentence with a field that the result does not have is a fault, which a scenario and the note show', async () => {
  const notes: string[] = [];
  const model = ruleModel({
    plans: [
      {
        message: /order (?<order>\w+)/,
        plan: ({ order = '' }) => ({ steps: [{ id: 's1', tool: 'orders.lookup', params: { order_id: order } }] }),
      },
    ],
    sentences: { 'orders.lookup': 'The status of order {orderid} is {status}.' },
    note: (text) => notes.push(text),
  });
  const shop = agent({ name: 'shop', model, tools: [lookUp], boundary: 'customer_support', budget: 'standard' });
  const message =
    'ruleModel: the sentence of orders.lookup names {orderid}, which its result does not have: it has items, order_id, status';
  await expect(scenario(shop).say('Where is order ord_7?').expectEnd('SUCCESS').run()).rejects.toThrow(message);
  expect(notes).toContain(`${message}\n`);
});
