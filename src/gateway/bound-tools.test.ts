/** Proves what the code of a tool is given, and what becomes of what it gives back. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { verifies } from '../../test/requirements/verifies.ts';
import { toolSpec } from '../../test/runs/rig.ts';
import type { Json } from '../model/json.ts';
import type { ToolCall, ToolResult } from '../model/tool.ts';
import type { BoundTool, ToolContext } from '../ports/bound-tool.ts';
import type { CredentialBroker, CredentialRequest } from '../ports/credentials.ts';
import { NO_MODELS } from '../ports/language-model.ts';
import type { LogLine } from '../ports/log.ts';
import type { CallLimits } from '../ports/tools.ts';
import { boundTools, withCompanions } from './bound-tools.ts';
import { tool } from './tool/tool.ts';

const CALL: ToolCall = {
  call_id: 'call_1',
  step_id: 's1',
  tool: 'a',
  args: { n: { deep: 1 } },
  args_hash: 'sha256:0',
  idempotency_key: 'key_1',
  attempt: 1,
};
const CALLER = { runId: 'run_1', tenantId: 'acme', actor: 'agt', scopes: ['all'] };

const bound = (execute: BoundTool['execute'], changes: Partial<BoundTool['spec']> = {}): BoundTool => ({
  spec: toolSpec('a', changes),
  execute,
});

function calling(tools: readonly BoundTool[], call: Partial<ToolCall> = {}, log?: LogLine[]): Promise<ToolResult> {
  const services = log === undefined ? {} : { log: (line: LogLine) => void log.push(line) };
  const limits = { signal: new AbortController().signal, timeoutMs: 1_000, caller: CALLER, models: NO_MODELS };
  return boundTools(tools, services).call({ ...CALL, ...call }, limits);
}

test('the code of a tool knows for whom and under which key it works, and cannot change what it was given', async () => {
  let given: ToolContext | null = null;
  const result = await calling([
    bound((args, context) => {
      given = context;
      expect(() => Object.assign(args['n'] as object, { deep: 2 })).toThrow(TypeError);
      return args;
    }),
  ]);
  expect(result).toMatchObject({ outcome: 'ok', raw: CALL.args });
  expect(given).toMatchObject({ idempotencyKey: 'key_1', runId: 'run_1', stepId: 's1', tenantId: 'acme' });
});

test('a signal and a desk are there for whoever asks, also in a copy of what was given, and are not asked for before', async () => {
  const asked: string[] = [];
  const { signal } = new AbortController();
  const limits: CallLimits = {
    timeoutMs: 1_000,
    caller: CALLER,
    get signal() {
      asked.push('signal');
      return signal;
    },
    get models() {
      asked.push('models');
      return NO_MODELS;
    },
  };
  await boundTools([bound(() => ({}))]).call(CALL, limits);
  expect(asked).toEqual([]);
  let copied: Partial<ToolContext> = {};
  const copies = bound((_args, context) => {
    copied = { ...context };
    return {};
  });
  await boundTools([copies]).call(CALL, limits);
  expect(Object.keys(copied).toSorted()).toEqual([
    'credentials',
    'idempotencyKey',
    'log',
    'models',
    'runId',
    'signal',
    'stepId',
    'tenantId',
  ]);
  expect([copied.signal, copied.models]).toEqual([signal, NO_MODELS]);
});

test('whoever is asked for a credential hears when the call is over', async () => {
  const over = new AbortController();
  const limits = { signal: over.signal, timeoutMs: 1_000, caller: CALLER, models: NO_MODELS };
  const heard: AbortSignal[] = [];
  const credentials: CredentialBroker = {
    get: async (_request, signal) => {
      heard.push(signal);
      return { tenantId: 'acme', values: {} };
    },
  };
  const asks = bound(async (_args, context) => ({ ...(await context.credentials()) }));
  await boundTools([asks], { credentials }).call(CALL, limits);
  over.abort();
  expect(heard.map(({ aborted }) => aborted)).toEqual([true]);
});

test('what was said when a credential was turned down at first is on record without the credential', async () => {
  const limits = { signal: new AbortController().signal, timeoutMs: 1_000, caller: CALLER, models: NO_MODELS };
  const token = ({ refresh }: CredentialRequest): string => (refresh ? 'token_renewed' : 'token_expired');
  const credentials: CredentialBroker = {
    get: async (request) => ({ tenantId: 'acme', values: { token: token(request) } }),
  };
  let aged = false;
  const asks = bound(async (_args, context) => {
    const { token } = await context.credentials();
    if (aged && token === 'token_expired') throw Object.assign(new Error(`${token} is not let in`), { status: 401 });
    return {};
  });
  const tools = boundTools([asks], { credentials });
  await tools.call(CALL, limits);
  aged = true;
  const { outcome, detail } = await tools.call(CALL, limits);
  expect(outcome).toBe('ok');
  expect(detail).toMatch(/^turned down at first: \[redacted\] is not let in; then tried once more/);
});

test('what is let in at the second try and answers nothing says that it was turned down at first', async () => {
  const limits = { signal: new AbortController().signal, timeoutMs: 1_000, caller: CALLER, models: NO_MODELS };
  const credentials: CredentialBroker = {
    get: async ({ refresh }) => ({ tenantId: 'acme', values: { token: refresh ? 'token_renewed' : 'token_expired' } }),
  };
  let aged = false;
  const asks = bound(async (_args, context) => {
    const { token } = await context.credentials();
    if (aged && token === 'token_expired') throw Object.assign(new Error('not let in'), { status: 401 });
    return null;
  });
  const tools = boundTools([asks], { credentials });
  expect(await tools.call(CALL, limits)).not.toHaveProperty('detail');
  aged = true;
  const detail = expect.stringMatching(/^turned down at first: not let in/);
  expect(await tools.call(CALL, limits)).toMatchObject({ outcome: 'empty', raw: null, detail });
});

test('a tool that has asked for no credential is turned down once: there is none that could be renewed', async () => {
  const limits = { signal: new AbortController().signal, timeoutMs: 1_000, caller: CALLER, models: NO_MODELS };
  let calls = 0;
  const asksNobody = bound(() => {
    calls += 1;
    if (calls > 1) throw Object.assign(new Error('not let in'), { status: 401 });
    return {};
  });
  const tools = boundTools([asksNobody]);
  await tools.call(CALL, limits);
  await expect(tools.call(CALL, limits)).rejects.toThrow(/^not let in$/);
  expect(calls).toBe(2);
});

verifies(
  'gateway:dispatch:timeout-idempotency-and-hidden-secrets',
  'a mutating call without a key is refused before its code runs',
  async () => {
    let ran = false;
    const act = bound(() => {
      ran = true;
      return {};
    });
    const acting = { ...act, spec: toolSpec('a', { side_effect: true, approval_mode: 'local_write' }) };
    const refusal = calling([acting], { idempotency_key: '' });
    await expect(refusal).rejects.toMatchObject({ code: 'permission_denied' });
    expect(ran).toBe(false);
  },
);

describe('what comes back', () => {
  test.each<[string, Json | undefined, object]>([
    ['nothing is an empty answer', undefined, { outcome: 'empty', raw: null }],
    ['null is an empty answer', null, { outcome: 'empty', raw: null }],
    ['a value is kept as it is', { n: 1 }, { outcome: 'ok', raw: { n: 1 } }],
  ])('%s', async (_name, raw, expected) => {
    expect(await calling([bound(() => raw)])).toMatchObject(expected);
  });

  test('a name without code is an error', async () => {
    expect(await calling([], { tool: 'toString' })).toMatchObject({ outcome: 'error' });
  });

  test('a result that the schema of the tool turns down is malformed, and kept as it came', async () => {
    const even = tool({
      name: 'a',
      description: 'a',
      approvalMode: 'read_only',
      inputSchema: z.object({ n: z.int() }),
      outputSchema: z.object({ n: z.int().refine((n) => n % 2 === 0, 'is odd') }),
      execute: ({ n }) => ({ n }),
    });
    expect(await calling([even], { args: { n: 2 } })).toMatchObject({ outcome: 'ok', raw: { n: 2 } });
    expect(await calling([even], { args: { n: 3 } })).toMatchObject({
      outcome: 'malformed',
      raw: { n: 3 },
      detail: '/n is odd',
    });
    const checks = {
      ...even.checks,
      output: () => {
        throw new Error('out of order');
      },
    };
    expect(await calling([{ ...even, checks }], { args: { n: 2 } })).toMatchObject({
      outcome: 'malformed',
      raw: { n: 2 },
    });
    const date = { ...even, execute: () => ({ n: new Date(0) }) as never };
    expect(await calling([date])).toMatchObject({ outcome: 'malformed', raw: null });
    expect(boundTools([even]).problems?.('a', { n: 1.5 })).toMatchObject([{ path: '/n' }]);
    expect(boundTools([even]).problems?.('b', {})).toEqual([]);
  });
});

test('tools that look at what others did come along, each once', () => {
  const probe = bound(() => ({}));
  const second = { ...bound(() => ({})), companions: [probe] };
  const first = { ...bound(() => ({})), companions: [second, probe] };
  expect(withCompanions([first])).toEqual([first, second, probe]);
});

test('a log line says what it is about, and one that cannot be written does not stop the tool', async () => {
  const log: LogLine[] = [];
  const talking = bound((_args, context) => {
    context.log.info('hello\u0000', { step_id: 'forged', n: 1 });
    context.log.error('bad', { at: new Date(0) } as never);
    return { ok: true };
  });
  expect(await calling([talking], {}, log)).toMatchObject({ outcome: 'ok' });
  expect(log).toEqual([
    {
      level: 'info',
      message: 'hello\\u0000',
      fields: { n: 1, run_id: 'run_1', step_id: 's1', tenant_id: 'acme', tool: 'a' },
    },
  ]);
});
