/** AI SDK tools whose schemas and streams are not what they seem: what runs is what was approved, and it ends when it is told to. */
import { jsonSchema, type ToolSet } from 'ai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { fromAISDK } from '../../src/adapters/ai-sdk/index.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { BoundTool, ToolContext } from '../../src/ports/bound-tool.ts';

const bound = async (given: object): Promise<BoundTool> => {
  const [only] = await fromAISDK({ t: given as ToolSet[string] });
  return only ?? expect.fail('nothing was bound');
};
const called = (signal: AbortSignal = new AbortController().signal): ToolContext =>
  ({ idempotencyKey: 'k', signal }) as unknown as ToolContext;
const ANY = z.object({});

test('a schema whose value answers otherwise the second time changes nothing about what runs', async () => {
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

test('a tool that writes into its input writes into a copy', async () => {
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

test('a stream that stalls is left when the call is called back, and told to stop', async () => {
  const recall = new AbortController();
  let told = false;
  const stalling = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        recall.abort();
        return new Promise(() => undefined);
      },
      return: async () => {
        told = true;
        return { done: true, value: undefined };
      },
    }),
  };
  const slow = await bound({ inputSchema: ANY, execute: () => stalling });
  await expect(slow.execute({}, called(recall.signal))).rejects.toMatchObject({ code: 'tool_failed' });
  expect(told).toBe(true);
});

test('a stream without an end lets clocks tick, so that it can be called back', async () => {
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
