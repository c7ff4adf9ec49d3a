/** A message of the user answers the open question of the chat's run. It never decides a gate. */
import { expect, test } from 'vitest';
import { scriptedPlanner } from '../../src/testing/scripted-planner.ts';
import { type ChatServer, openChatServer, PlainChat, shopPlan } from './bench.ts';

const ASK_MONTH = { kind: 'clarification_request', question: 'Which month do you mean?', fields: ['month'] };
const ASK_TWO = { kind: 'clarification_request', question: 'Which month and year?', fields: ['month', 'year'] };

async function openAsking(question: object, gates: readonly string[] = []): Promise<ChatServer> {
  return await openChatServer({ gates, planner: scriptedPlanner([question, shopPlan(gates)]) });
}

const runsOf = async ({ runtime }: ChatServer): Promise<readonly string[]> =>
  (await runtime.sessions.list()).map(({ runId }) => runId);

test('the next message answers the question, and the same run goes on in a message of its own', async () => {
  const server = await openAsking(ASK_MONTH);
  const ada = new PlainChat(server.url, 'ada');
  await ada.sendMessage({ text: 'What did I pay?' });
  expect(ada.text).toBe('Which month do you mean?');
  const runId = ada.lastMessage?.metadata?.runId ?? '';

  await ada.sendMessage({ text: 'April 2026' });
  expect(ada.error).toBeUndefined();
  expect(ada.lastMessage?.metadata).toMatchObject({ runId, status: 'completed' });
  expect(ada.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(ada.text).not.toContain('Which month');
  expect(ada.tool('invoice')).toMatchObject({ state: 'output-available' });
  expect(await runsOf(server)).toEqual([runId]);
  const events = await server.events(runId);
  expect(events.find(({ type }) => type === 'question_answered')).toMatchObject({
    answers: { month: 'April 2026' },
    by: 'ada',
  });

  const { messages } = ada;
  await ada.resumeStream();
  expect(ada.messages.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));

  const { length } = await runsOf(server);
  await ada.sendMessage({ text: 'Thank you' });
  expect(await runsOf(server)).toHaveLength(length + 1);
});

test('a question about several fields takes one line for each', async () => {
  const server = await openAsking(ASK_TWO);
  const ada = new PlainChat(server.url, 'ada');
  await ada.sendMessage({ text: 'What did I pay?' });
  await ada.sendMessage({ text: 'April 2026' });
  expect(ada.error?.message).toBe('write one line for each of these: month, year');
  await ada.sendMessage({ text: 'month: April\n2026' });
  const [runId = ''] = await runsOf(server);
  expect((await server.events(runId)).find(({ type }) => type === 'question_answered')).toMatchObject({
    answers: { month: 'April', year: '2026' },
  });
});

test('a message decides no gate, after a question neither', async () => {
  const server = await openAsking(ASK_MONTH, ['GATE_FINANCE']);
  const ada = new PlainChat(server.url, 'ada');
  await ada.sendMessage({ text: 'Pay my invoice' });
  await ada.sendMessage({ text: 'April 2026' });
  const runId = ada.lastMessage?.metadata?.runId ?? '';
  expect(ada.tool('invoice')).toMatchObject({ state: 'approval-requested' });
  const ben = new PlainChat(server.url, 'ben');
  await ben.sendMessage({ text: 'approve' });
  expect((await server.runtime.sessions.get(runId)).status).toBe('awaiting_gate');
  expect(server.dispatches.map(({ tool }) => tool)).not.toContain('invoice');
});
