/** AI SDK tools with misleading schemas and streams: the approved arguments run, and an aborted call ends. */
import { jsonSchema, type ToolSet } from 'ai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { fromAISDK } from '../../src/adapters/ai-sdk/index.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { BoundTool, ToolContext } from '../../src/ports/bound-tool.ts';

const bound = async (definition: object): Promise<BoundTool> => {
  const [only] = await fromAISDK({ t: definition as ToolSet[string] });
  return only ?? expect.fail('nothing was bound');
};
const called = (signal: AbortSignal = new AbortController().signal): ToolContext =>
  ({ idempotencyKey: 'k', signal }) as unknown as ToolContext;
const ANY = z.object({});

test("runs the approved arguments when the schema's value changes on a later read", async () => {
  let reads = 0;
  const value = {
    get n(): string {
      reads += 1;
      return reads > 2 ? 'evil' : 'a';
    },
  };
  const inputSchema = jsonSchema({ type: 'object' }, { validate: () => ({ success: true, value }) });
  const shifty = await bound({ inputSchema, execute: ({ n }: JsonObject) => ({ got: n }) });
  expect(await shifty.execute({ n: 'a' }, called())).toEqual({ got: 'a' });
});

test('gives a tool a copy of its input to write to', async () => {
  const args: JsonObject = Object.freeze({ inner: Object.freeze({ n: 1 }) });
  const rude = await bound({
    inputSchema: jsonSchema({ type: 'object' }),
    execute: (input: { inner: { n: number } }) => {
      input.inner.n = 2;
      return input;
    },
  });
  expect(await rude.execute(args, called())).toEqual({ inner: { n: 2 } });
  expect(args).toEqual({ inner: { n: 1 } });
});

test('abandons a stalled stream and closes it when the call is aborted', async () => {
  const recall = new AbortController();
  let isClosed = false;
  const stalling = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        recall.abort();
        return new Promise(() => undefined);
      },
      return: async () => {
        isClosed = true;
        return { done: true, value: undefined };
      },
    }),
  };
  const slow = await bound({ inputSchema: ANY, execute: () => stalling });
  await expect(slow.execute({}, called(recall.signal))).rejects.toMatchObject({ code: 'tool_failed' });
  expect(isClosed).toBe(true);
});

test('lets timers run during an endless stream, so that the call can be aborted', async () => {
  const recall = new AbortController();
  const endless = await bound({
    inputSchema: ANY,
    execute: async function* () {
      for (let n = 0; n < 10_000_000; n += 1) yield n;
    },
  });
  setImmediate(() => recall.abort());
  await expect(endless.execute({}, called(recall.signal))).rejects.toMatchObject({ code: 'tool_failed' });
});
