/** The context that the code of a tool receives, and the handling of its return value. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { verifies } from '../../../test/requirements/verifies.ts';
import { toolSpec } from '../../../test/runs/rig.ts';
import type { Json } from '../../model/json/json.ts';
import type { ToolCall, ToolResult } from '../../model/tool/tool.ts';
import type { BoundTool, CallLimits, LogLine, ToolContext } from '../../ports/bound-tool.ts';
import type { CredentialBroker, CredentialRequest } from '../../ports/credentials.ts';
import { NO_MODELS } from '../../ports/model/language-model.ts';
import { boundTools, withCompanions } from './bound-tools.ts';
import { tool } from './tool.ts';

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

const reportGpuMs = (): void => undefined;

function calling(tools: readonly BoundTool[], call: Partial<ToolCall> = {}, log?: LogLine[]): Promise<ToolResult> {
  const services = log === undefined ? {} : { log: (line: LogLine) => void log.push(line) };
  const limits = {
    signal: new AbortController().signal,
    timeoutMs: 1_000,
    caller: CALLER,
    models: NO_MODELS,
    reportGpuMs,
  };
  return boundTools(tools, services).call({ ...CALL, ...call }, limits);
}

test('gives the tool its caller and idempotency key, and frozen arguments', async () => {
  let received: ToolContext | null = null;
  const result = await calling([
    bound((args, context) => {
      received = context;
      expect(() => Object.assign(args['n'] as object, { deep: 2 })).toThrow(TypeError);
      return args;
    }),
  ]);
  expect(result).toMatchObject({ outcome: 'ok', raw: CALL.args });
  expect(received).toMatchObject({ idempotencyKey: 'key_1', runId: 'run_1', stepId: 's1', tenantId: 'acme' });
});

test('creates the signal and the model client only when they are read, also in a copy of the context', async () => {
  const asked: string[] = [];
  const { signal } = new AbortController();
  const limits: CallLimits = {
    timeoutMs: 1_000,
    caller: CALLER,
    get signal() {
      asked.push('signal');
      return signal;
    },
    reportGpuMs,
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
    'actor',
    'credentials',
    'files',
    'idempotencyKey',
    'inputs',
    'log',
    'models',
    'reportGpuMs',
    'runId',
    'signal',
    'stepId',
    'tenantId',
  ]);
  expect([copied.signal, copied.models]).toEqual([signal, NO_MODELS]);
});

test('aborts the signal of a credential request when the call ends', async () => {
  const over = new AbortController();
  const limits = { signal: over.signal, timeoutMs: 1_000, caller: CALLER, models: NO_MODELS, reportGpuMs };
  const signals: AbortSignal[] = [];
  const credentials: CredentialBroker = {
    get: async (_request, signal) => {
      signals.push(signal);
      return { tenantId: 'acme', values: {} };
    },
  };
  const asks = bound(async (_args, context) => ({ ...(await context.credentials()) }));
  await boundTools([asks], { credentials }).call(CALL, limits);
  over.abort();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

test('records the first rejection of a credential without the credential', async () => {
  const limits = {
    signal: new AbortController().signal,
    timeoutMs: 1_000,
    caller: CALLER,
    models: NO_MODELS,
    reportGpuMs,
  };
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

test('records the first rejection if the second attempt returns nothing', async () => {
  const limits = {
    signal: new AbortController().signal,
    timeoutMs: 1_000,
    caller: CALLER,
    models: NO_MODELS,
    reportGpuMs,
  };
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

test('does not retry a rejected tool that has used no credential', async () => {
  const limits = {
    signal: new AbortController().signal,
    timeoutMs: 1_000,
    caller: CALLER,
    models: NO_MODELS,
    reportGpuMs,
  };
  let calls = 0;
  const usesNoCredential = bound(() => {
    calls += 1;
    if (calls > 1) throw Object.assign(new Error('not let in'), { status: 401 });
    return {};
  });
  const tools = boundTools([usesNoCredential]);
  await tools.call(CALL, limits);
  await expect(tools.call(CALL, limits)).rejects.toThrow(/^not let in$/);
  expect(calls).toBe(2);
});

verifies(
  'gateway:dispatch:timeout-idempotency-and-hidden-secrets',
  'refuses a mutating call without an idempotency key before its code runs',
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

describe('the result', () => {
  test.each<[string, Json | undefined, object]>([
    ['is empty for undefined', undefined, { outcome: 'empty', raw: null }],
    ['is empty for null', null, { outcome: 'empty', raw: null }],
    ['keeps a value unchanged', { n: 1 }, { outcome: 'ok', raw: { n: 1 } }],
  ])('%s', async (_name, raw, expected) => {
    expect(await calling([bound(() => raw)])).toMatchObject(expected);
  });

  test('is an error if the tool has no code', async () => {
    expect(await calling([], { tool: 'toString' })).toMatchObject({ outcome: 'error' });
  });

  test('is malformed if the output schema rejects it, and keeps the raw value', async () => {
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

test('includes the probes of all tools once each', () => {
  const probe = bound(() => ({}));
  const second = { ...bound(() => ({})), companions: [probe] };
  const first = { ...bound(() => ({})), companions: [second, probe] };
  expect(withCompanions([first])).toEqual([first, second, probe]);
});

test('adds the call to every log line, and drops a line that cannot be written', async () => {
  const log: LogLine[] = [];
  const logging = bound((_args, context) => {
    context.log.info('hello\u0000', { step_id: 'forged', n: 1 });
    context.log.error('bad', { at: new Date(0) } as never);
    return { ok: true };
  });
  expect(await calling([logging], {}, log)).toMatchObject({ outcome: 'ok' });
  expect(log).toEqual([
    {
      level: 'info',
      message: 'hello\\u0000',
      fields: { n: 1, run_id: 'run_1', step_id: 's1', tenant_id: 'acme', tool: 'a' },
    },
  ]);
});
