/**
 * Tests that secrets reach only the code of a tool, only for the calling tenant, and that expired credentials are
 * renewed.
 */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { LogLine, ToolContext } from '../../../src/ports/bound-tool.ts';
import type { CredentialBroker, CredentialRequest } from '../../../src/ports/credentials.ts';
import { verifies } from '../../requirements/verifies.ts';
import { neverAnswers, planOf, type Rig, type RigOptions, rig } from '../rig.ts';

const SECRET = 'sk_live_51H"very+secret/äö';

interface RecordingBroker {
  readonly broker: CredentialBroker;
  readonly asked: CredentialRequest[];
}

function recordingBroker(tenantId = 'tenant_a'): RecordingBroker {
  const asked: CredentialRequest[] = [];
  return {
    asked,
    broker: {
      get: async (request) => {
        asked.push(request);
        return { tenantId, values: { token: request.refresh ? `${SECRET}_2` : SECRET } };
      },
    },
  };
}

const THREE = planOf([
  { id: 'a', tool: 'read' },
  { id: 'b', tool: 'read', params: { again: 1 }, depends_on: ['a'] },
  { id: 'c', tool: 'finish', depends_on: ['b'] },
]);

function bench(
  execute: (args: JsonObject, context: ToolContext) => Promise<JsonObject>,
  more: RigOptions['world'] = {},
): Rig {
  return rig({
    tools: { read: { execute, retries_max: 0 }, finish: { produces: ['done'] } },
    plans: [THREE, THREE, THREE],
    world: more,
  });
}

/**
 * Serialises everything a run leaves behind or sends to a model: journal, transcripts, phases, outcome, prompts, log
 * lines.
 */
async function allThatRemains(
  { runtime, planner }: Rig,
  outcome: { readonly runId: string },
  log: readonly LogLine[],
): Promise<string> {
  const frames = await runtime.records.frames(outcome.runId);
  const transcripts = await runtime.records.transcripts(outcome.runId);
  const phases = await runtime.records.phases(outcome.runId);
  return JSON.stringify({ frames, transcripts, phases, outcome, log, prompts: planner.requests });
}

/** The secret as plain text, URL-encoded, and as part of a Base64 header. */
const FORMS = [
  'very+secret',
  'very%2Bsecret',
  Buffer.from(SECRET).toString('base64').slice(0, 24),
  Buffer.from(SECRET).toString('base64url').slice(0, 24),
];

verifies(
  ['security:credentials:least-privilege-session-bound', 'gateway:dispatch:timeout-idempotency-and-hidden-secrets'],
  'redacts a secret that a tool repeats in its answer, error and log',
  async () => {
    const log: LogLine[] = [];
    const { broker, asked } = recordingBroker();
    let seen = '';
    const run = bench(
      async (args, context) => {
        const { token = '' } = await context.credentials();
        seen = token;
        context.log.warn(`using ${token}`, { authorization: `Basic ${btoa(unescape(encodeURIComponent(token)))}` });
        if (args['again'] === 1) throw new Error(`GET https://x/?key=${encodeURIComponent(token)} failed`);
        return { echo: token, [token]: { url: `?k=${encodeURIComponent(token)}`, text: JSON.stringify({ token }) } };
      },
      { services: { credentials: broker, log: (line) => log.push(line) } },
    );
    const outcome = await run.invoke();
    const text = await allThatRemains(run, outcome, log);
    expect(seen).toBe(SECRET);
    for (const form of [...FORMS, SECRET]) expect(text).not.toContain(form);
    expect(text).toContain('[redacted]');
    expect(text).toContain('args_hash');
    expect(log[0]).toMatchObject({
      level: 'warn',
      fields: { run_id: outcome.runId, step_id: 'a', tool: 'read', tenant_id: 'tenant_a' },
    });
    expect(asked[0]).toEqual({
      tool: 'read',
      runId: outcome.runId,
      tenantId: 'tenant_a',
      actor: 'agt_worker',
      scopes: ['all'],
      refresh: false,
    });
  },
);

verifies(
  'security:credentials:least-privilege-session-bound',
  'refuses a credential of another tenant before the tool receives it',
  async () => {
    let reached = false;
    const run = bench(
      async (_args, context) => {
        await context.credentials();
        reached = true;
        return {};
      },
      { services: { credentials: recordingBroker('tenant_b').broker } },
    );
    const outcome = await run.invoke();
    const events = await run.events(outcome.runId);
    expect(reached).toBe(false);
    const observed = events.filter(({ type }) => type === 'step_observed');
    expect(observed[0]).toMatchObject({ outcome: 'denied', detail: expect.stringContaining('another tenant') });
  },
);

verifies(
  'gateway:dispatch:timeout-idempotency-and-hidden-secrets',
  'times out a slow tool, and sends an idempotency key with every call of a mutating tool',
  async () => {
    const keys: string[] = [];
    const run = rig({
      tools: {
        slow: { execute: neverAnswers, retries_max: 0 },
        write: {
          approval_mode: 'local_write',
          side_effect: true,
          idempotency: { kind: 'key', retention_ms: 86_400_000 },
          produces: ['done'],
          execute: (_args, { idempotencyKey }) => {
            keys.push(idempotencyKey);
            return { ok: true };
          },
        },
      },
      plans: [
        planOf([
          { id: 'a', tool: 'slow', optional: true },
          { id: 'b', tool: 'write' },
        ]),
      ],
    });
    const outcome = await run.invoke();
    const events = await run.events(outcome.runId);
    expect(events.find(({ type }) => type === 'step_observed')).toMatchObject({ outcome: 'timeout' });
    expect(outcome.terminalCode).toBe('PARTIAL_SUCCESS');
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  },
);

describe('a credential that worked before and is rejected', () => {
  const refused = (status: number): Error => Object.assign(new Error(`HTTP ${status}`), { status });

  /** A tool that accepts the first call, and after that only a renewed credential or none at all. */
  function aging(renewedWorks: boolean): {
    readonly execute: Parameters<typeof bench>[0];
    readonly tokens: string[];
    readonly keys: string[];
  } {
    const tokens: string[] = [];
    const keys: string[] = [];
    return {
      tokens,
      keys,
      execute: async (args, context) => {
        const { token = '' } = await context.credentials();
        tokens.push(token === SECRET ? 'old' : 'new');
        keys.push(context.idempotencyKey);
        if (args['again'] === 1 && (token === SECRET || !renewedWorks)) throw refused(401);
        return { ok: true };
      },
    };
  }

  verifies(
    'pathology:credential-expiry:auth-errors-after-success',
    'is renewed once, and the call is repeated under the same key',
    async () => {
      const { execute, tokens, keys } = aging(true);
      const { broker, asked } = recordingBroker();
      const run = bench(execute, { services: { credentials: broker } });
      const outcome = await run.invoke();
      expect(outcome.terminalCode).toBe('SUCCESS');
      expect(tokens).toEqual(['old', 'old', 'new']);
      expect(keys[1]).toBe(keys[2]);
      const details = (await run.events(outcome.runId)).flatMap((event) =>
        event.type === 'step_observed' ? [event.detail ?? ''] : [],
      );
      expect(details[1]).toMatch(/turned down at first: HTTP 401; then tried once more/);
      expect(asked.map(({ refresh }) => refresh)).toEqual([false, false, true]);
      expect(await allThatRemains(run, outcome, [])).not.toContain('very+secret');
    },
  );

  verifies(
    'pathology:credential-expiry:auth-errors-after-success',
    'escalates to a person if the renewed one fails, and does not count as abuse',
    async () => {
      const { execute, tokens } = aging(false);
      const run = bench(execute, { services: { credentials: recordingBroker().broker } });
      const outcome = await run.invoke();
      expect(tokens).toEqual(['old', 'old', 'new']);
      expect(outcome).toMatchObject({ status: 'paused', terminalCode: null });
      const events = await run.events(outcome.runId);
      expect(events.filter(({ type }) => type === 'step_observed').at(-1)).toMatchObject({ outcome: 'expired' });
      const escalated = events.filter(({ type }) => type === 'run_escalated');
      expect(escalated).toHaveLength(1);
      expect(JSON.stringify(escalated)).toContain('credential_expired');
      expect(JSON.stringify(events)).not.toContain('repeated_denial');
      expect(await allThatRemains(run, outcome, [])).not.toContain('very+secret');
    },
  );

  test.each([{ kind: 'none' }, { kind: 'natural' }, { kind: 'key', retention_ms: 86_400_000 }] as const)(
    'is not retried under the same intent by a tool with side effects ($kind), but renewed for the next call',
    async (idempotency) => {
      const { execute, tokens } = aging(true);
      const { broker, asked } = recordingBroker();
      const pays = { execute, side_effect: true, approval_mode: 'local_write', idempotency } as const;
      const run = rig({
        tools: { read: { ...pays, retries_max: 0 }, finish: { produces: ['done'] } },
        plans: [THREE, planOf([{ id: 'a', tool: 'read', params: { other: 1 } }])],
        world: { services: { credentials: broker } },
      });
      const outcome = await run.invoke();
      expect(tokens).toEqual(['old', 'old']);
      expect(outcome).toMatchObject({ status: 'paused', terminalCode: null });
      await run.invoke();
      expect(tokens).toEqual(['old', 'old', 'new']);
      expect(asked.map(({ refresh }) => refresh)).toEqual([false, false, true]);
    },
  );

  test('counts as denied if it never worked', async () => {
    const run = bench(
      async (_args, context) => {
        await context.credentials();
        throw refused(403);
      },
      { services: { credentials: recordingBroker().broker } },
    );
    const outcome = await run.invoke();
    const events = await run.events(outcome.runId);
    const outcomes = events.flatMap((event) => (event.type === 'step_observed' ? [event.outcome] : []));
    expect(new Set(outcomes)).toEqual(new Set(['denied']));
  });
});
