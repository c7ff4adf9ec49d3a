/** A stream is a cursor over the journal: a lost, slow or leaving reader neither loses a sentence nor stops the run. */
import type { UIMessageChunk } from 'ai';
import { expect, test } from 'vitest';
import { toUIMessageStream, toUIMessageStreamResponse } from '../../src/adapters/ai-sdk/index.ts';
import type { RunHandle } from '../../src/index.ts';
import { scriptedComposer, sentence } from '../runs/answers/bench.ts';
import { ASK, collect, openShop as openSlowShop } from '../runs/handle/shop.ts';
import { openShop, PlainChat, serve } from './bench.ts';

const PLAN = sentence('Your plan is Pro.', ['ev_1', '/plan']);
const PAID = sentence('Invoice INV-7 was paid on 3 May 2026.', ['ev_2', '/paid_on']);
const ANSWER = 'Your plan is Pro. Invoice INV-7 was paid on 3 May 2026.';

/** Ends a response with an error after the chunk that contains a text, as a lost connection does. */
function cutAfter(response: Response, text: string): Response {
  let isLost = false;
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform: (bytes, controller) => {
      if (isLost) throw new Error('the connection is lost');
      isLost = new TextDecoder().decode(bytes).includes(text);
      controller.enqueue(bytes);
    },
  });
  return new Response(response.body?.pipeThrough(cut) ?? null, { headers: response.headers });
}

/** Serves one run that needs no approval. The first connection is lost after the first sentence. */
async function serveLossy(): Promise<string> {
  const { runtime } = openShop({ composer: scriptedComposer([[PLAN, PAID]]), gates: [] });
  let run: RunHandle | null = null;
  return await serve(async (request) => {
    if (run === null) {
      run = runtime.start({ message: 'Which plan am I on?', user: { name: 'ada', tenant: 'shop', roles: ['worker'] } });
      return cutAfter(toUIMessageStreamResponse(run), 'Your plan is Pro.');
    }
    const after = request.headers.get('last-event-id') ?? undefined;
    return toUIMessageStreamResponse(await runtime.sessions.follow(run.id), { after });
  });
}

test('a chat that reconnects shows every sentence once', async () => {
  const chat = new PlainChat(await serveLossy(), 'ada');
  await chat.sendMessage({ text: 'Which plan am I on?' });
  expect([chat.status, chat.text]).toEqual(['error', 'Your plan is Pro.']);
  await chat.resumeStream();
  expect([chat.status, chat.text]).toEqual(['ready', ANSWER]);
  expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(chat.lastMessage?.parts.filter(({ type }) => type === 'dynamic-tool')).toHaveLength(2);
});

/** A client without the AI SDK: it keeps the id of the last event, as `EventSource` does. */
async function readEvents(url: string, lastId?: string): Promise<{ readonly deltas: string[]; readonly id: string }> {
  const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
  const response = await fetch(url, lastId === undefined ? { method: 'POST', body: '{}' } : { headers });
  let text = '';
  try {
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true });
  } catch {
    // The connection is lost; the complete events before the loss count.
  }
  const events = text.split('\n\n').slice(0, -1);
  const deltas = events.flatMap(
    (event) => /"type":"text-delta".*"delta":"(?<t>[^"]*)"/.exec(event)?.groups?.['t'] ?? [],
  );
  return { deltas, id: events.flatMap((event) => /^id: (?<id>.*)$/m.exec(event)?.groups?.['id'] ?? []).at(-1) ?? '' };
}

test('a stream that continues after the last event id repeats nothing and loses nothing', async () => {
  const url = await serveLossy();
  const first = await readEvents(url);
  expect(first.deltas).toEqual(['Your plan is Pro.']);
  const second = await readEvents(url, first.id);
  expect(second.deltas).toEqual([' Invoice INV-7 was paid on 3 May 2026.']);
});

test('a stream can continue after every cursor, without a gap or a repetition', async () => {
  const { runtime } = openShop({ composer: scriptedComposer([[PLAN, PAID]]), gates: [] });
  const user = { name: 'ada', tenant: 'shop', roles: ['worker'] };
  const run = runtime.start({ message: 'Which plan am I on?', user });
  const all = (await collect(toUIMessageStream(run))).filter(isContent);
  expect(textIn(all)).toBe(ANSWER);
  for (const { cursor } of await collect(run.events)) {
    const rest = (await collect(toUIMessageStream(run, { after: cursor }))).filter(isContent);
    const before = all.slice(0, all.length - rest.length);
    expect(textIn(before) + textIn(rest)).toBe(ANSWER);
  }
});

/** Each stream opens its own text part, so that only the deltas can be compared. */
const isContent = ({ type }: UIMessageChunk): boolean => !['start', 'text-start', 'text-end', 'finish'].includes(type);

const textIn = (chunks: readonly UIMessageChunk[]): string =>
  chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.delta : '')).join('');

test('a client that stops reading does not delay the run', async () => {
  const { runtime } = openShop({ gates: [] });
  const user = { name: 'ada', tenant: 'shop', roles: ['worker'] };
  const run = runtime.start({ message: 'Which plan am I on?', user });
  const reader = toUIMessageStream(run).getReader();
  expect((await reader.read()).value).toMatchObject({ type: 'start', messageId: run.id });
  expect(await run.settled).toMatchObject({ status: 'completed' });
  reader.releaseLock();
});

test.each([
  ['continues', {}, { status: 'completed', terminalCode: 'SUCCESS' }],
  ['is cancelled if the host asks for it', { onDisconnect: 'cancel' }, { terminalCode: 'USER_CANCEL' }],
] as const)('a run whose reader leaves %s', async (_, options, outcome) => {
  const shop = openSlowShop();
  const run = shop.runtime.start(ASK);
  const call = await shop.nextCall();
  const reader = toUIMessageStream(run, options).getReader();
  await reader.read();
  await reader.cancel();
  call.answer();
  expect(await run.settled).toMatchObject(outcome);
  await shop.runtime.close();
});

test('a request signal that aborts ends the stream and not the run', async () => {
  const shop = openSlowShop();
  const run = shop.runtime.start(ASK);
  const call = await shop.nextCall();
  const client = new AbortController();
  const reading = collect(toUIMessageStream(run, { signal: client.signal }));
  client.abort(new Error('the client left'));
  await expect(reading).rejects.toThrow('the client left');
  call.answer();
  expect(await run.settled).toMatchObject({ status: 'completed' });
  await shop.runtime.close();
});

test('a signal that aborts after the end of the stream does not cancel a run that waits', async () => {
  const { runtime } = openShop();
  const user = { name: 'ada', tenant: 'shop', roles: ['worker'] };
  const run = runtime.start({ message: 'Pay', user });
  const client = new AbortController();
  await collect(toUIMessageStream(run, { signal: client.signal, onDisconnect: 'cancel' }));
  client.abort();
  expect(await runtime.sessions.get(run.id)).toMatchObject({ status: 'awaiting_gate' });
});
