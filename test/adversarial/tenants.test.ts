/** Two tenants share one runtime and one store: neither learns anything about the other, not even that it exists. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { memoryJournal } from '../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { GATE_MODE_APPROVAL } from '../../src/model/gate/gate.ts';
import type { Json, JsonObject } from '../../src/model/json/json.ts';
import type { Identity } from '../../src/model/run/identity.ts';
import type { RunRequest } from '../../src/model/run/run-request.ts';
import type { Journal } from '../../src/ports/journal/journal.ts';
import type { Ambit } from '../../src/runtime/ambit.ts';
import type { TenantRuntime } from '../../src/runtime/tenants/tenant-runtime.ts';
import type { RunOutcome } from '../../src/session/outcome.ts';
import { verifies } from '../requirements/verifies.ts';
import { CAPS, operator, planOf, REQUEST, type Rig, rig, START_MS } from '../runs/rig.ts';

type Tenant = TenantRuntime<Ambit>;
type Method = (...args: readonly unknown[]) => unknown;

const identityOf = (tenant_id: string): Identity => ({
  actor: `agt_of_${tenant_id}`,
  tenant_id,
  roles: ['worker'],
  scopes: ['all'],
  expires_at: START_MS + 3_600_000,
});
const requestOf = (tenant_id: string): RunRequest => ({
  ...REQUEST,
  tenant_id,
  identity: identityOf(tenant_id),
});

const stores: readonly (readonly [string, () => Journal])[] = [
  ['memory', () => memoryJournal({ hash: sha256 })],
  [
    'sqlite',
    () => sqliteJournal({ path: join(mkdtempSync(join(tmpdir(), 'ambit-tenants-')), 'run.db'), hash: sha256 }),
  ],
];

interface TwoTenants {
  readonly bench: Rig;
  readonly a: Tenant;
  readonly b: Tenant;
  /** Tenant B's run that waits at a gate, its finished run, and the address of a large answer in the latter. */
  readonly waiting: RunOutcome;
  readonly over: RunOutcome;
  readonly document: string;
}

/** A query that a tool makes through the runtime of its run's tenant. */
type Query = (tenant: Tenant) => Promise<unknown>;

async function openTwoTenants(
  journal: Journal,
  asked: { now: Query } = { now: async () => null },
): Promise<TwoTenants> {
  const large = planOf([{ id: 's1', tool: 'fetch', params: {} }]);
  const post = planOf([{ id: 's1', tool: 'post', params: { to: 'x' }, requires: [GATE_MODE_APPROVAL] }]);
  const bench: Rig = rig({
    tools: {
      fetch: {
        limits: { payload_max_bytes: 100 },
        produces: ['done'],
        execute: () => ({ text: 'secret '.repeat(50) }),
      },
      post: { approval_mode: 'network', side_effect: true, gates: [GATE_MODE_APPROVAL], produces: ['done'] },
      ask: {
        produces: ['done'],
        execute: async (_, { tenantId }) =>
          ((await asked.now(bench.runtime.within(identityOf(tenantId)))) ?? null) as Json,
      },
    },
    plans: [large, post, ...Array.from({ length: 9 }, () => planOf([{ id: 's1', tool: 'ask', params: {} }]))],
    caps: { ...CAPS, replan_attempts_max: 0 },
    options: { limits: { onEscalate: 'end' } },
    world: { journal },
  });
  const [a, b] = [bench.runtime.within(identityOf('tenant_a')), bench.runtime.within(identityOf('tenant_b'))];
  const over = await bench.settle(b.invoke(requestOf('tenant_b')));
  const waiting = await bench.settle(b.invoke(requestOf('tenant_b')));
  const observed = (await bench.events(over.runId)).find(({ type }) => type === 'step_observed') as unknown as {
    readonly raw: JsonObject;
  };
  return { bench, a, b, waiting, over, document: String(observed.raw['$blob']) };
}

/** The code and the message of a refusal. */
const refusal = async (asked: () => unknown): Promise<unknown> => {
  try {
    await asked();
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    return { code, message };
  }
  return 'answered';
};

const HIDDEN = {
  code: 'permission_denied',
  message: 'there is nothing with this id that this identity may access',
};
const DECISION = { packetHash: `sha256:${'0'.repeat(64)}`, credential: operator('eve'), reason: 'mine' };
/** Methods by their path, each with the arguments that follow the id of a run. */
const BY_RUN: Readonly<Record<string, readonly unknown[]>> = {
  resume: [],
  'sessions.answer': [{ questionId: 'q', packetHash: null }, {}, 'eve'],
  'sessions.send': [{ type: 'run_cancelled', by: 'eve', reason: 'gone' }],
  'sessions.get': [],
  'sessions.decideEscalation': [{ ...DECISION, decision: 'terminate' }],
  'sessions.extendBudget': [{ credential: operator('eve'), reason: 'more', delta: { steps_max: 1 } }],
  'sessions.resume': [operator('eve')],
  'sessions.cancel': [{ credential: operator('eve'), reason: 'gone' }],
  ...Object.fromEntries(
    ['pause', 'interrupt', 'steer', 'migrate', 'terminate', 'driver', 'get', 'contract', 'follow'].map((name) => [
      `sessions.${name}`,
      [{}],
    ]),
  ),
  'sessions.readState': ['task_state', 'model'],
  'sessions.writeState': ['scratchpad', 'model', 'note'],
  ...Object.fromEntries(['trace', 'account', 'otel', 'facts', 'label'].map((name) => [`records.${name}`, [{}]])),
  ...Object.fromEntries(
    ['observation', 'stateAt', 'finished', 'artifacts', 'whatIf', 'diagnose'].map((name) => [
      `records.${name}`,
      [1, {}],
    ]),
  ),
  'records.shadow': [{ version: 'x', authorize: () => ({ effect: 'permit', policies: [], errors: [] }) }],
  ...Object.fromEntries(
    ['replay', 'frames', 'phases', 'transcripts', 'exchanges', 'forkOf', 'handoff'].map((name) => [
      `records.${name}`,
      [],
    ]),
  ),
  'records.auditRecord': [operator('eve', ['compliance'])],
  'records.document': [`sha256:${'0'.repeat(64)}`],
  'memory.proposals': ['done'],
  'sessions.previewMigration': [],
};
const STREAMS = ['progress', 'watch'] as const;
/** Methods that only the operator of the runtime has. */
const OPERATOR: readonly string[] = [
  'agents.explain',
  'agents.list',
  'close',
  'killSwitches.lift',
  'killSwitches.list',
  'killSwitches.throw',
  'memory.quarantine',
  'memory.rebuild',
  'records.audit',
  'records.diff',
  'records.export',
  'records.fork',
  'records.import',
  'records.imported',
  'records.labels',
  'records.metrics',
  'records.verify',
  'serve',
  'sessions.damaged',
  'sessions.resumeAll',
  'sessions.wake',
  'threads.export',
  'vault.erase',
  'vault.erasures',
  'vault.looks',
  'vault.reveal',
  'vault.seal',
  'vault.tenants',
  'within',
];
const BY_GATE: readonly string[] = [
  'approve',
  'gates.approve',
  'gates.reject',
  'gates.edit',
  'gates.requestInfo',
  'gates.provideInfo',
  'gates.get',
];
const OWN: readonly string[] = [
  'start',
  'invoke',
  'gates.packet',
  'gates.list',
  'gates.evidence',
  'sessions.list',
  'grants.give',
  'grants.revoke',
  'grants.list',
  'grants.refused',
  'agents.breakers',
  'agents.dryRun',
  'verify',
  'memory.list',
  'threads.get',
  'threads.list',
];

/** Every method of a runtime by its path, such as `sessions.get`. */
const methodsOf = (runtime: object): ReadonlyMap<string, Method> =>
  new Map(
    Object.entries(runtime).flatMap(([name, member]): readonly [string, Method][] =>
      typeof member === 'function'
        ? [[name, member]]
        : Object.entries(member as Readonly<Record<string, Method>>).map(([method, call]) => [
            `${name}.${method}`,
            call,
          ]),
    ),
  );

describe.each(stores)('on %s', (_, open) => {
  verifies(
    'security:tenant:isolation-across-stores',
    "denies tenant A's run the run, memory and document of tenant B, with the answer for unknown ids",
    async () => {
      const asked: { now: Query } = { now: async () => null };
      const { bench, a, b, over, document } = await openTwoTenants(open(), asked);
      expect(await b.sessions.get(over.runId)).toMatchObject({ terminalCode: 'SUCCESS' });
      expect(await b.memory.proposals(over.runId, 'done')).toHaveLength(1);
      expect(await b.records.document(over.runId, document)).toContain('secret');
      const pairs: readonly (readonly [Query, Query])[] = [
        [(tenant) => tenant.sessions.get(over.runId), (tenant) => tenant.sessions.get('run_none')],
        [
          (tenant) => tenant.memory.proposals(over.runId, 'done'),
          (tenant) => tenant.memory.proposals('run_none', 'done'),
        ],
        [
          (tenant) => tenant.records.document(over.runId, document),
          (tenant) => tenant.records.document('run_none', document),
        ],
      ];
      for (const pair of pairs) {
        const details: string[] = [];
        for (const now of pair) {
          asked.now = now;
          const run = await bench.settle(a.invoke(requestOf('tenant_a')));
          expect(run).toMatchObject({ terminalCode: 'PERMISSION_DENIED', record: { evidence_refs: [] } });
          const [transcript] = await a.records.transcripts(run.runId);
          expect(transcript?.result).toMatchObject({ outcome: 'denied', raw: null });
          expect(await refusal(() => now(a))).toEqual(HIDDEN);
          details.push(String(transcript?.result.detail));
        }
        expect(details[0]).toBe(details[1]);
        expect(details[0]).not.toMatch(/run_|sha256|tenant_b|secret/);
      }
    },
  );

  test("a tenant's runtime lacks the operator's methods, and no others", async () => {
    const { bench, a } = await openTwoTenants(open());
    const [all, own] = [methodsOf(bench.runtime), methodsOf(a)];
    expect([...all.keys()].filter((name) => !own.has(name)).toSorted()).toEqual(OPERATOR.toSorted());
  });

  test("every method that takes a run, gate or packet id answers alike for another tenant's id and an unknown id", async () => {
    const { a, waiting, over } = await openTwoTenants(open());
    const methods = methodsOf(a);
    const [gate] = waiting.pending;
    const streams = STREAMS.map((name) => `sessions.${name}`);
    expect([...methods.keys()].toSorted()).toEqual([...Object.keys(BY_RUN), ...streams, ...BY_GATE, ...OWN].toSorted());
    for (const [name, rest] of Object.entries(BY_RUN)) {
      for (const id of [waiting.runId, over.runId, 'run_none', '', null, { toString: () => over.runId }]) {
        expect(await refusal(() => methods.get(name)?.(id, ...rest)), name).toEqual(HIDDEN);
      }
    }
    for (const name of STREAMS) {
      for (const id of [waiting.runId, over.runId, 'run_none']) {
        const stream = a.sessions[name](id)[Symbol.asyncIterator]();
        expect(await refusal(() => stream.next()), name).toEqual(HIDDEN);
      }
    }
    for (const name of BY_GATE) {
      for (const id of [gate?.gateId, 'gate_none', undefined]) {
        const answer = { ...DECISION, packetHash: gate?.packetHash };
        expect(await refusal(() => methods.get(name)?.(id, answer)), name).toEqual(HIDDEN);
      }
    }
    for (const hash of [gate?.packetHash ?? '', DECISION.packetHash]) {
      expect(await refusal(() => a.gates.packet(hash))).toEqual(HIDDEN);
    }
  });

  test('lists nothing of another tenant, and rejects requests and grants in its name', async () => {
    const { bench, a, b, waiting } = await openTwoTenants(open());
    const terms = {
      grant_id: 'grant_1',
      tenant_id: 'tenant_b',
      tool: 'post',
      arguments: { to: { any: true } },
      uses_max: 1,
      microusd_max: 0,
      reason: 'notes',
      expires_at: START_MS + 1_000,
    } as const;
    expect(await refusal(() => a.grants.give(terms, operator('eve')))).toEqual(HIDDEN);
    await b.grants.give(terms, operator('lead_1'));
    expect(await a.grants.list()).toEqual([]);
    expect(await a.grants.list({ tenant: 'tenant_b' })).toEqual([]);
    for (const id of ['grant_1', 'grant_none']) {
      expect(await refusal(() => a.grants.revoke(id, 'mine', operator('eve')))).toEqual(HIDDEN);
    }
    expect((await a.gates.list({ tenant: 'tenant_b' })).groups).toEqual([]);
    expect(await a.sessions.list({ tenant: 'tenant_b' })).toEqual(await a.sessions.list());
    expect((await a.sessions.list()).filter(({ tenantId }) => tenantId !== 'tenant_a')).toEqual([]);
    expect((await b.sessions.list()).map(({ runId }) => runId)).toContain(waiting.runId);
    expect((await b.gates.list()).groups[0]?.items[0]?.gate.gate_id).toBe(waiting.pending[0]?.gateId);
    expect(await refusal(() => a.invoke(requestOf('tenant_b')))).toEqual(HIDDEN);
    const promoted = { ...identityOf('tenant_a'), roles: ['worker', 'root'] };
    expect(await refusal(() => a.invoke({ ...requestOf('tenant_a'), identity: promoted }))).toEqual(HIDDEN);
    expect(bench.dispatches).toHaveLength(1);
  });

  test("naming the address of another tenant's document in arguments or answers does not make it readable", async () => {
    const asked: { now: Query } = { now: async () => null };
    const { bench, a, document } = await openTwoTenants(open(), asked);
    asked.now = async () => ({ $blob: document, bytes: 1, preview: 'secret' });
    const run = await bench.settle(a.invoke({ ...requestOf('tenant_a'), goal: { statement: `Show ${document}` } }));
    expect(JSON.stringify(await a.records.frames(run.runId))).toContain(document);
    expect(await refusal(() => a.records.document(run.runId, document))).toEqual(HIDDEN);
  });

  test('denies every method once the identity has expired', async () => {
    const { bench, b, over } = await openTwoTenants(open());
    bench.clock.advanceTo(START_MS + 3_600_000);
    expect(await refusal(() => b.sessions.get(over.runId))).toMatchObject({ code: 'permission_denied' });
    expect(await refusal(() => b.gates.list())).toMatchObject({ code: 'permission_denied' });
    expect(await refusal(() => b.agents.breakers())).toMatchObject({ code: 'permission_denied' });
  });
});
