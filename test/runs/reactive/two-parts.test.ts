/** Every part of a question is answered if a tool can answer it. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agent, ambit, reactive, tool } from '../../../src/index.ts';
import type { RunEvent } from '../../../src/model/events/event.ts';
import type { RunOutcome } from '../../../src/session/outcome.ts';
import { type ModelTurn, type ScriptedModel, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { of } from '../planning/bench.ts';
import { decide, shownTo } from './bench.ts';
import { ASK, account as look, scripted } from './billing.ts';

const lookUp = (name: string, description: string, shape: z.ZodRawShape, value: object) =>
  tool({
    name,
    description,
    approvalMode: 'read_only',
    inputSchema: z.object({}),
    outputSchema: z.object(shape),
    execute: () => value as never,
    risk: { trusted: true },
    rules: { action: 'summarize_account' },
  });

const TOOLS = [
  lookUp('shop.account', 'Returns the account of the customer', { plan: z.string() }, { plan: 'Pro' }),
  lookUp(
    'shop.invoices',
    'Returns the invoices of the customer',
    { total_cents: z.int(), currency: z.string(), paid_on: z.iso.date() },
    { total_cents: 4990, currency: 'EUR', paid_on: '2026-05-03' },
  ),
  lookUp('shop.weather', 'Returns the weather at a place', { forecast: z.string() }, { forecast: 'rain' }),
];

const account = decide('shop.account', {}, { context_key: 'account' });
const invoices = decide('shop.invoices', {}, { context_key: 'invoices' });
const answer = decide('respond', { objective: 'answer' });

interface Asked {
  readonly outcome: RunOutcome;
  readonly model: ScriptedModel;
  readonly open: readonly unknown[];
}

async function ask(message: string, turns: readonly ModelTurn[], maxSteps: number = 8): Promise<Asked> {
  const model = scriptedModel(turns);
  const shop = agent({
    name: 'shop',
    planner: reactive({ model, maxSteps }),
    tools: TOOLS,
    intents: [{ intent: 'shop.question', description: 'Answer questions', risk: 'low' }],
    boundary: 'customer_support',
    budget: { profile: 'research', inputTokensMax: 2_000_000, outputTokensMax: 400_000 },
  });
  const { invoke, records } = ambit({ agent: shop });
  const outcome = await invoke({ message, user: { name: 'ada', tenant: 'shop' } });
  const frames = await records.frames(outcome.runId);
  const events = frames.flatMap((frame) => JSON.parse(frame.events) as RunEvent[]);
  await records.replay(outcome.runId);
  return { outcome, model, open: of(events, 'run_judged').flatMap(({ open_part }) => open_part ?? []) };
}

const PAID = 'what did i pay last month';
const QUESTION = 'Which plan am I on, and what did I pay last month?';

test('an end after the first part is refused once, and the model answers the second part', async () => {
  const { outcome, model, open } = await ask(QUESTION, [account, answer, invoices, answer]);
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', reason: 'goal_met' });
  expect(outcome.text).toContain('Pro');
  expect(outcome.text).toContain('49.90');
  expect(open).toEqual([{ part: PAID, tool: 'shop.invoices' }]);
  expect(shownTo(model, 2)).toContain(`\\"${PAID}\\" is not answered yet, and shop.invoices was not used`);
  model.assertDrained();
});

test('a model that insists ends the run', async () => {
  const { outcome, model, open } = await ask(QUESTION, [account, answer, answer]);
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(open).toHaveLength(1);
  model.assertDrained();
});

test('each part is pointed out once', async () => {
  const three = 'Which plan am I on, what did I pay last month and what is the forecast for Graz?';
  const { outcome, open } = await ask(three, [account, answer, answer, answer]);
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(open).toMatchObject([{ tool: 'shop.invoices' }, { tool: 'shop.weather' }]);
});

test.each([
  ['Which plan am I on?', 'the message has one part'],
  ['Which plan am I on, and since when?', 'no tool is named by the other part'],
  ['What is my account like, and which plan am I on?', 'the only tool with that name was called'],
  ['Which plan am I on and what is my plan called?', 'one field answers both parts'],
  ['My plan and my invoices are lost.', 'the message asks nothing'],
  ['Welchen Plan habe ich, und was habe ich bezahlt?', 'the parts of other languages are not read'],
])('"%s" may end after the account: %s', async (message) => {
  const { outcome, open } = await ask(message, [account, answer]);
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(open).toEqual([]);
});

test('a failed call counts as used, and a run without steps left may end', async () => {
  const failing = scripted(
    [look, decide('billing.invoice', { customer_id: 'cus_1' }), decide('respond', { objective: 'answer' })],
    { failing: 'billing.invoice' },
  );
  expect(await failing.runtime.invoke(ASK)).toMatchObject({ terminalCode: 'PARTIAL_SUCCESS' });
  const { outcome, open } = await ask(QUESTION, [account, answer], 3);
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(open).toEqual([]);
});

test('a tool without a declared result is found by its name', async () => {
  const bench = scripted([
    look,
    decide('respond', { objective: 'answer' }),
    decide('respond', { objective: 'answer' }),
  ]);
  expect(await bench.runtime.invoke(ASK)).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(shownTo(bench.model, 2)).toContain('billing.invoice was not used');
});
