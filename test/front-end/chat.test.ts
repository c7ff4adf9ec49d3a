/** A `useChat` front end shows sentences, tool calls and approvals of a run, over real HTTP with the real client. */
import { uiMessageChunkSchema } from 'ai';
import { expect, test } from 'vitest';
import { scriptedComposer, sentence } from '../runs/answers/bench.ts';
import { type ChatServer, openChatServer, PlainChat } from './bench.ts';

const PLAN = sentence('Your plan is Pro.', ['ev_1', '/plan']);
const PAID = sentence('Invoice INV-7 was paid on 3 May 2026.', ['ev_2', '/paid_on']);
const QUESTION = { text: 'Which plan am I on? Please pay my invoice.' };

const chunksOf = ({ sent }: ChatServer): readonly unknown[] =>
  Array.from(sent.join('').matchAll(/^data: (?<json>\{.*\})$/gm), ({ groups }) => JSON.parse(groups?.['json'] ?? ''));

test('a chat shows a call, asks for an approval, and goes on with the output and the answer', async () => {
  const server = await openChatServer({ composer: scriptedComposer([[PLAN, PAID]]) });
  const ada = new PlainChat(server.url, 'ada');
  await ada.sendMessage(QUESTION);
  expect(ada.error).toBeUndefined();
  expect(ada.status).toBe('ready');
  expect(ada.tool('account')).toMatchObject({
    state: 'output-available',
    input: { customer_id: 'cus_1' },
    output: null,
  });
  expect(ada.tool('invoice')).toMatchObject({ state: 'approval-requested', input: { amount: 4990 } });
  expect(ada.lastMessage?.metadata).toMatchObject({ status: 'awaiting_gate', runId: ada.lastMessage?.id });
  expect(server.dispatches.map(({ tool }) => tool)).toEqual(['account']);

  const ben = new PlainChat(server.url, 'ben');
  await ben.resumeStream();
  expect(ben.tool('invoice')).toMatchObject({ state: 'approval-requested' });
  await ben.addToolApprovalResponse({ id: ben.approvalId, approved: true, reason: 'within policy' });
  await expect.poll(() => ben.lastMessage?.metadata?.status).toBe('completed');
  expect(ben.tool('invoice')).toMatchObject({ state: 'output-available', output: null });
  expect(ben.text).toBe('Your plan is Pro. Invoice INV-7 was paid on 3 May 2026.');
  expect(ben.messages).toHaveLength(1);
  expect(server.dispatches.map(({ tool }) => tool)).toEqual(['account', 'invoice']);

  await ada.resumeStream();
  expect(ada.text).toBe(ben.text);
  expect(ada.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);

  const events = await server.events(ada.lastMessage?.id ?? '');
  expect(events.find(({ type }) => type === 'gate_decided')).toMatchObject({
    approver: 'ben',
    reason: 'within policy',
  });
  const chunks = chunksOf(server);
  expect(chunks.length).toBeGreaterThan(20);
  const schema = uiMessageChunkSchema();
  for (const chunk of chunks) expect(await schema.validate?.(chunk)).toMatchObject({ success: true });
});
