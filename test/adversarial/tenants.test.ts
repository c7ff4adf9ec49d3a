/** Two tenants of one runtime and one store: through its own door, neither learns anything of the other, not even that it is there. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { memoryJournal } from '../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../src/adapters/node/sha256.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import type { Ambit } from '../../src/facade/ambit.ts';
import { GATE_MODE_APPROVAL } from '../../src/model/gate.ts';
import type { Identity } from '../../src/model/identity.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Journal } from '../../src/ports/journal.ts';
import type { RunOutcome } from '../../src/session/outcome.ts';
import type { TenantDoor } from '../../src/session/tenants/tenant-door.ts';
import { verifies } from '../requirements/verifies.ts';
import { CAPS, operator, planOf, REQUEST, type Rig, rig, START_MS } from '../runs/rig.ts';

type Door = TenantDoor<Ambit>;
type Method = (...given: readonly unknown[]) => unknown;

const identityOf = (tenant_id: string): Identity => ({
  actor: `agt_of_${tenant_id}`,
  tenant_id,
  roles: ['worker'],
  scopes: ['all'],
  expires_at: START_MS + 3_600_000,
});
const requestOf = (tenant_id: string): JsonObject => ({
  ...REQUEST,
  tenant_id,
  identity: identityOf(tenant_id) as unknown as JsonObject,
});

const stores: readonly (readonly [string, () => Journal])[] = [
  ['memory', () => memoryJournal({ hash: sha256 })],
  [
    'sqlite',
    () => sqliteJournal({ path: join(mkdtempSync(join(tmpdir(), 'ambit-tenants-')), 'run.db'), hash: sha256 }),
  ],
];

interface Town {
  readonly bench: Rig;
  readonly a: Door;
  readonly b: Door;
  /** Of tenant B: a run that waits at a gate, one that is over, and the address of a large answer in it. */
  readonly waiting: RunOutcome;
  readonly over: RunOutcome;
  readonly document: string;
}

/** What a tool of a run may ask at the door of that run's own tenant. */
type Asked = (door: Door) => Promise<unknown>;

async function town(journal: Journal, asked: { now: Asked } = { now: async () => null }): Promise<Town> {
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

/** The code and the words of a refusal, without which of the two names was asked for. */
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
  message: 'there is nothing of this name within the reach of this identity',
};
const DECISION = { packetHash: `sha256:${'0'.repeat(64)}`, credential: operator('eve'), reason: 'mine' };
const BY_RUN: Readonly<Record<string, readonly unknown[]>> = {
  answer: [{ questionId: 'q', packetHash: null }, {}, 'eve'],
  tell: [{ type: 'run_cancelled', by: 'eve', reason: 'gone' }],
  resume: [],
  outcome: [],
  decideEscalation: [{ ...DECISION, decision: 'terminate' }],
  extendBudget: [{ credential: operator('eve'), reason: 'more', delta: { steps_max: 1 } }],
  resumeSession: [operator('eve')],
  cancel: [{ credential: operator('eve'), reason: 'gone' }],
  ...Object.fromEntries(
    [
      'pause',
      'interrupt',
      'steer',
      'migrate',
      'terminate',
      'driver',
      'session',
      'trace',
      'account',
      'otel',
      'counts',
    ].map((name) => [name, [{}]]),
  ),
  ...Object.fromEntries(
    ['observation', 'stateAt', 'finished', 'artifacts', 'whatIf', 'diagnose'].map((name) => [name, [1, {}]]),
  ),
  replay: [],
  shadow: [{ version: 'x', authorize: () => ({ effect: 'permit', policies: [], errors: [] }) }],
  frames: [],
  phases: [],
  transcripts: [],
  exchanges: [],
  forkOf: [],
  handoff: [],
  auditRecord: [operator('eve', ['compliance'])],
  readState: ['task_state', 'model'],
  writeState: ['scratchpad', 'model', 'note'],
  document: [`sha256:${'0'.repeat(64)}`],
  memory: ['done'],
};
const STREAMS = ['progress', 'watch'] as const;
const EVERYBODYS: readonly string[] = [
  'agents',
  'audit',
  'close',
  'diff',
  'exportRun',
  'fork',
  'importRun',
  'imported',
  'killSwitches',
  'resumeAll',
  'serve',
  'vault',
  'verifyChain',
  'wake',
  'within',
];
const BY_GATE: readonly string[] = ['approve', 'reject', 'edit', 'requestInfo', 'provideInfo', 'gate'];
const OWN: readonly string[] = [
  'invoke',
  'packet',
  'sessions',
  'giveGrant',
  'revokeGrant',
  'grants',
  'refusedGrants',
  'pending',
  'breakers',
  'dryRun',
  'evidence',
  'memories',
];

describe.each(stores)('on %s', (_, open) => {
  verifies(
    'security:tenant:isolation-across-stores',
    "a run of tenant A that asks for B's run, memory and document is denied three times, as for what never was",
    async () => {
      const asked: { now: Asked } = { now: async () => null };
      const { bench, a, b, over, document } = await town(open(), asked);
      expect(await b.outcome(over.runId)).toMatchObject({ terminalCode: 'SUCCESS' });
      expect(await b.memory(over.runId, 'done')).toHaveLength(1);
      expect(await b.document(over.runId, document)).toContain('secret');
      const pairs: readonly (readonly [Asked, Asked])[] = [
        [(door) => door.outcome(over.runId), (door) => door.outcome('run_none')],
        [(door) => door.memory(over.runId, 'done'), (door) => door.memory('run_none', 'done')],
        [(door) => door.document(over.runId, document), (door) => door.document('run_none', document)],
      ];
      for (const pair of pairs) {
        const said: string[] = [];
        for (const now of pair) {
          asked.now = now;
          const run = await bench.settle(a.invoke(requestOf('tenant_a')));
          expect(run).toMatchObject({ terminalCode: 'PERMISSION_DENIED', record: { evidence_refs: [] } });
          const [transcript] = await a.transcripts(run.runId);
          expect(transcript?.result).toMatchObject({ outcome: 'denied', raw: null });
          expect(await refusal(() => now(a))).toEqual(HIDDEN);
          said.push(String(transcript?.result.detail));
        }
        expect(said[0]).toBe(said[1]);
        expect(said[0]).not.toMatch(/run_|sha256|tenant_b|secret/);
      }
    },
  );

  test('a door leaves out what concerns everybody, and nothing else', async () => {
    const { bench, a } = await town(open());
    const left = Object.keys(bench.runtime).filter((name) => !Object.hasOwn(a, name));
    expect(left.filter((name) => !EVERYBODYS.includes(name))).toEqual([]);
    expect(Object.keys(a).filter((name) => EVERYBODYS.includes(name))).toEqual([]);
  });

  test('every method that names a run, a gate or a packet says the same of what is another tenant’s and of what is not', async () => {
    const { a, waiting, over } = await town(open());
    const methods = a as unknown as Readonly<Record<string, Method>>;
    const [gate] = waiting.pending;
    expect(Object.keys(a).toSorted()).toEqual([...Object.keys(BY_RUN), ...STREAMS, ...BY_GATE, ...OWN].toSorted());
    for (const [name, rest] of Object.entries(BY_RUN)) {
      for (const id of [waiting.runId, over.runId, 'run_none', '', null, { toString: () => over.runId }]) {
        expect(await refusal(() => methods[name]?.(id, ...rest)), name).toEqual(HIDDEN);
      }
    }
    for (const name of STREAMS) {
      for (const id of [waiting.runId, over.runId, 'run_none']) {
        const stream = a[name](id)[Symbol.asyncIterator]();
        expect(await refusal(() => stream.next()), name).toEqual(HIDDEN);
      }
    }
    for (const name of BY_GATE) {
      for (const id of [gate?.gateId, 'gate_none', undefined]) {
        expect(await refusal(() => methods[name]?.(id, { ...DECISION, packetHash: gate?.packetHash }))).toEqual(HIDDEN);
      }
    }
    for (const hash of [gate?.packetHash ?? '', DECISION.packetHash]) {
      expect(await refusal(() => a.packet(hash))).toEqual(HIDDEN);
    }
  });

  test('what belongs to the other is not listed, and nothing can be asked for, given or taken back in its name', async () => {
    const { bench, a, b, waiting } = await town(open());
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
    expect(await refusal(() => a.giveGrant(terms, operator('eve')))).toEqual(HIDDEN);
    await b.giveGrant(terms, operator('lead_1'));
    expect(await a.grants()).toEqual([]);
    expect(await a.grants({ tenant: 'tenant_b' })).toEqual([]);
    for (const id of ['grant_1', 'grant_none']) {
      expect(await refusal(() => a.revokeGrant(id, 'mine', operator('eve')))).toEqual(HIDDEN);
    }
    expect((await a.pending({ tenant: 'tenant_b' })).groups).toEqual([]);
    expect(await a.sessions({ tenant: 'tenant_b' })).toEqual(await a.sessions());
    expect((await a.sessions()).filter(({ tenantId }) => tenantId !== 'tenant_a')).toEqual([]);
    expect((await b.sessions()).map(({ runId }) => runId)).toContain(waiting.runId);
    expect((await b.pending()).groups[0]?.items[0]?.gate.gate_id).toBe(waiting.pending[0]?.gateId);
    expect(await refusal(() => a.invoke(requestOf('tenant_b')))).toEqual(HIDDEN);
    const promoted = { ...identityOf('tenant_a'), roles: ['worker', 'root'] } as unknown as JsonObject;
    expect(await refusal(() => a.invoke({ ...requestOf('tenant_a'), identity: promoted }))).toEqual(HIDDEN);
    expect(bench.dispatches).toHaveLength(1);
  });

  test('an address is not a key: neither arguments nor answers that name it open another tenant’s document', async () => {
    const asked: { now: Asked } = { now: async () => null };
    const { bench, a, document } = await town(open(), asked);
    asked.now = async () => ({ $blob: document, bytes: 1, preview: 'secret' });
    const run = await bench.settle(a.invoke({ ...requestOf('tenant_a'), goal: { statement: `Show ${document}` } }));
    expect(JSON.stringify(await a.frames(run.runId))).toContain(document);
    expect(await refusal(() => a.document(run.runId, document))).toEqual(HIDDEN);
  });

  test('an identity that has expired reaches nothing any more', async () => {
    const { bench, b, over } = await town(open());
    bench.clock.advanceTo(START_MS + 3_600_000);
    expect(await refusal(() => b.outcome(over.runId))).toMatchObject({ code: 'permission_denied' });
    expect(await refusal(() => b.pending())).toMatchObject({ code: 'permission_denied' });
    expect(await refusal(() => b.breakers())).toMatchObject({ code: 'permission_denied' });
  });
});
