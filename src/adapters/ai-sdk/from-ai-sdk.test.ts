/** Tests tools written with the AI SDK's own functions, called as the gateway calls them. */
import { dynamicTool, jsonSchema, type ToolSet, tool } from 'ai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { callContext } from '../../../test/mcp/real-servers.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { ajvSchemaCheck } from '../ajv/ajv-schema-check.ts';
import { fromAISDK, type ToolContexts, type ToolLabels } from './from-ai-sdk.ts';

const CALL = callContext();

async function only(tools: ToolSet, labels?: ToolLabels, contexts?: ToolContexts) {
  const [first] = await fromAISDK(tools, labels, contexts);
  if (first === undefined) throw new Error('nothing was imported');
  return {
    spec: first.spec,
    call: async (args: JsonObject): Promise<Json | undefined> => await first.execute(Object.freeze(args), CALL),
  };
}

const weather = tool({
  description: 'The weather at a place',
  inputSchema: z.object({ place: z.string(), unit: z.enum(['C', 'F']).default('C') }),
  outputSchema: z.object({ place: z.string(), degrees: z.number() }),
  execute: ({ place, unit }) => ({ place, degrees: unit === 'C' ? 20 : 68 }),
});

test('a tool without a label is destructive, needs approval and is untrusted', async () => {
  const { spec } = await only({ weather });
  expect(spec).toMatchObject({
    name: 'weather',
    source: 'ai-sdk',
    description: 'The weather at a place',
    approval_mode: 'destructive',
    side_effect: true,
    trusted: false,
    gates: ['GATE_MODE_APPROVAL'],
    idempotency: { kind: 'none' },
  });
});

test('Zod schemas become JSON Schema that the gateway can check', async () => {
  const { spec, call } = await only({ weather }, { weather: { approval_mode: 'read_only' } });
  expect(spec).toMatchObject({ approval_mode: 'read_only', side_effect: false, gates: [] });
  const check = ajvSchemaCheck().compile(spec.input_schema);
  expect(check({ place: 'Oslo' })).toEqual([]);
  expect(check({ place: 7 })).not.toEqual([]);
  expect(spec.output_schema).toMatchObject({ type: 'object', required: ['place', 'degrees'] });
  expect(await call({ place: 'Oslo', unit: 'C' })).toEqual({ place: 'Oslo', degrees: 20 });
  await expect(call({ place: 'Oslo', unit: 'K' })).rejects.toMatchObject({ code: 'argument_invalid' });
});

test('rejects arguments that the schema would change, before and at the call', async () => {
  const [bound] = await fromAISDK({ weather });
  expect(bound?.checks?.input?.({ place: 'Oslo', unit: 'C' })).toEqual([]);
  const changed = {
    code: 'argument_invalid',
    path: '',
    message: expect.stringContaining('would change these arguments'),
  };
  expect(bound?.checks?.input?.({ place: 'Oslo' })).toEqual([changed]);
  await expect(bound?.execute({ place: 'Oslo' }, CALL)).rejects.toMatchObject({ code: 'argument_invalid' });
  const trims = tool({ inputSchema: z.object({ word: z.string().trim() }), execute: () => 1 });
  await expect((await only({ trims })).call({ word: ' a ' })).rejects.toMatchObject({ code: 'argument_invalid' });
  const dates = tool({ inputSchema: z.object({ at: z.coerce.date() }), execute: () => 1 });
  await expect(fromAISDK({ dates })).rejects.toMatchObject({
    code: 'input_invalid',
    message: expect.stringContaining('a schema of dates cannot be written as JSON Schema'),
  });
});

test('checks refinements beyond JSON Schema before the call', async () => {
  const even = z.object({ n: z.int().refine((n) => n % 2 === 0, 'must be even') });
  const [bound] = await fromAISDK({ halve: tool({ inputSchema: even, execute: ({ n }) => n / 2 }) });
  expect(bound?.checks?.input?.({ n: 4 })).toEqual([]);
  expect(bound?.checks?.input?.({ n: 3 })).toEqual([{ code: 'argument_invalid', path: '/n', message: 'must be even' }]);
  const late = z.object({}).refine(() => Promise.resolve(false), 'no');
  const slow = await only({ slow: tool({ inputSchema: late, execute: () => 1 }) });
  await expect(slow.call({})).rejects.toMatchObject({ code: 'argument_invalid' });
});

test('accepts JSON Schema and other Standard Schemas besides Zod', async () => {
  const json: JsonObject = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const twice = tool({ inputSchema: jsonSchema<{ n: number }>(json), execute: ({ n }) => n * 2 });
  const imported = await only({ twice });
  expect(imported.spec.input_schema).toEqual(json);
  expect(await imported.call({ n: 4 })).toBe(8);
  const standard = {
    '~standard': {
      version: 1,
      vendor: 'house',
      validate: (value: unknown) => ({ value: value as { readonly n: number } }),
      jsonSchema: { input: () => json, output: () => json },
    },
  } as const;
  const thrice = await only({ thrice: tool({ inputSchema: standard, execute: ({ n }) => n * 3 }) });
  expect(thrice.spec.input_schema).toMatchObject(json);
  expect(await thrice.call({ n: 3 })).toBe(9);
});

test('imports a dynamic tool like any other', async () => {
  const echo = dynamicTool({
    description: 'Says it again',
    inputSchema: z.object({}).loose(),
    execute: (input) => input,
  });
  const { spec, call } = await only({ echo });
  expect(spec.approval_mode).toBe('destructive');
  expect(await call({ any: ['thing'] })).toEqual({ any: ['thing'] });
});

test.for([true, () => false])('a tool with needsApproval gets a gate in every mode', async (needsApproval) => {
  const asking = tool({ inputSchema: z.object({}), needsApproval, execute: () => 1 });
  const { spec } = await only({ asking }, { asking: { approval_mode: 'read_only' } });
  expect(spec).toMatchObject({ approval_mode: 'read_only', gates: ['GATE_TOOL_APPROVAL'] });
});

test('passes the idempotency key and the abort signal to the tool', async () => {
  const stop = new AbortController();
  const waits = tool({
    inputSchema: z.object({}),
    execute: (_, { toolCallId, abortSignal }) =>
      new Promise((_resolve, reject) => {
        abortSignal?.addEventListener('abort', () => reject(new Error(`${toolCallId} stopped`)));
        stop.abort();
      }),
  });
  const [bound] = await fromAISDK({ waits });
  await expect(bound?.execute({}, { ...CALL, signal: stop.signal })).rejects.toThrow('key_1 stopped');
});

test('returns the last output of a stream', async () => {
  const streams = tool({
    inputSchema: z.object({}),
    async *execute() {
      yield { status: 'looking', found: 0 };
      yield { status: 'done', found: 3 };
    },
  });
  expect(await (await only({ streams })).call({})).toEqual({ status: 'done', found: 3 });
});

test('accepts JSON or no output and rejects anything else', async () => {
  const returning = (output: unknown) => tool({ inputSchema: z.object({}), execute: () => output });
  const outputOf = async (output: unknown) => (await only({ t: returning(output) })).call({});
  expect(await outputOf({ at: new Date(0), none: undefined })).toEqual({ at: '1970-01-01T00:00:00.000Z' });
  expect(await outputOf(undefined)).toBeUndefined();
  await expect(outputOf(10n)).rejects.toMatchObject({ code: 'tool_result_invalid' });
  await expect(outputOf(() => 1)).rejects.toMatchObject({ code: 'tool_result_invalid' });
});

test('rejects tools that bypass the gateway: provider-executed tools and tools without code', async () => {
  const search = {
    type: 'provider',
    id: 'acme.web_search',
    args: {},
    isProviderExecuted: true,
    inputSchema: z.object({}),
    outputSchema: z.object({}),
  } as const;
  await expect(fromAISDK({ search })).rejects.toMatchObject({
    code: 'input_invalid',
    message: expect.stringContaining("search is run by the model's provider (acme.web_search)"),
  });
  const idle = tool({ inputSchema: z.object({}), outputSchema: z.object({}) });
  await expect(fromAISDK({ idle })).rejects.toThrow('idle has no execute function');
});

test('passes a declared context to the tool and its description, after checking it', async () => {
  const contextual = tool({
    description: ({ context }) => `Reads the books of ${context.shop}`,
    inputSchema: z.object({}),
    contextSchema: z.object({ shop: z.string() }),
    execute: (_, { context }) => context.shop,
  });
  const { spec, call } = await only({ contextual }, {}, { contextual: { shop: 'north' } });
  expect(spec.description).toBe('Reads the books of north');
  expect(await call({})).toBe('north');
  await expect(fromAISDK({ contextual })).rejects.toThrow('contextual declares a context');
  await expect(fromAISDK({ contextual }, {}, { contextual: { shop: 1 } })).rejects.toMatchObject({
    code: 'argument_invalid',
  });
});

test('rejects a misspelt label, and changes the version with the schema', async () => {
  await expect(fromAISDK({ weather }, { whether: {} })).rejects.toThrow('has no tool whether; it has weather');
  const other = tool({ description: 'The weather, and your secrets', inputSchema: z.object({}), execute: () => 1 });
  expect((await only({ weather: other })).spec.version).not.toBe((await only({ weather })).spec.version);
});
