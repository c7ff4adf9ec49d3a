import type { RunEvent } from '../../model/events/event.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import type { MemoryProposal } from '../../model/evidence/memory.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { GateDecisionKind } from '../../model/gate/gate.ts';
import { parse } from '../../model/json/parse.ts';
import { Identity } from '../../model/run/identity.ts';
import { isEnvelope } from '../../model/run/run-request.ts';
import type { StateReader } from '../../model/run/state-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { MemoryRow } from '../../ports/store/memory-store.ts';
import { importedRunOf } from '../../session/import-note.ts';
import type { MemoryAdmin } from '../admin/memory.ts';
import { type RunHandle, readStartArguments } from '../run-handle.ts';
import type { GateActions, Grants, RunActions, Runtime } from '../runtime.ts';
import { AUDITOR_ROLES, type RecordQueries } from '../sessions/record-queries.ts';
import { hasStored } from '../sessions/shown-evidence.ts';
import { ownThreads, type Threads, type UserThreads } from '../threads.ts';
import { guardValues } from './guard-values.ts';
import { ownAgents, ownVerify } from './own-agents.ts';
import { isRecordedOf, recordedOf } from './recorded-tenant.ts';
import { assertCurrent, noAccess, ownInput, plainInput, type Tenancy, withIdentity } from './tenancy.ts';

/** Methods whose first argument is the id of a run, by group. */
const BY_RUN = {
  sessions: [
    'answer',
    'send',
    'decideEscalation',
    'extendBudget',
    'resume',
    'cancel',
    'pause',
    'interrupt',
    'steer',
    'previewMigration',
    'migrate',
    'terminate',
    'driver',
    'get',
    'contract',
  ],
  records: [
    'replay',
    'trace',
    'account',
    'otel',
    'facts',
    'label',
    'observation',
    'stateAt',
    'finished',
    'artifacts',
    'forkOf',
    'whatIf',
    'shadow',
    'frames',
    'diagnose',
    'phases',
    'transcripts',
    'exchanges',
    'handoff',
    'auditRecord',
  ],
} as const;

/** Methods of `sessions` that return an async iterable; the first argument is the id of a run. */
const STREAMS = ['progress', 'watch'] as const;

/** The method of `gates` for each decision. */
const BY_DECISION: Readonly<Record<GateDecisionKind, keyof GateActions>> = {
  approve: 'approve',
  reject: 'reject',
  edit: 'edit',
  request_info: 'requestInfo',
};

/** Methods of `gates` whose first argument is the id of a gate. */
const BY_GATE: readonly (keyof GateActions)[] = [...Object.values(BY_DECISION), 'provideInfo', 'get'];

/** The methods of `records` that compare, move or change data across tenants: they stay with the operator. */
type OperatorRecords = 'diff' | 'labels' | 'metrics' | 'verify' | 'export' | 'fork' | 'import' | 'imported' | 'audit';

/** The part of a runtime that one tenant may reach. An id of another tenant and an unknown id are both `permission_denied`. */
export interface TenantRuntime<All extends Divisible>
  extends Pick<All, 'start' | 'invoke' | 'approve' | 'resume' | 'verify'> {
  readonly agents: Omit<All['agents'], 'list' | 'explain'>;
  readonly gates: All['gates'];
  readonly sessions: Omit<All['sessions'], 'wake' | 'resumeAll' | 'damaged'>;
  readonly records: Omit<All['records'], OperatorRecords>;
  readonly grants: All['grants'];
  /** The threads of this identity, read only. */
  readonly threads: UserThreads;
  /** Memory of this tenant, read only: quarantine and rebuild stay with the operator. */
  readonly memory: {
    list(): Promise<readonly MemoryRow[]>;
    /** The entries that a run of this tenant has proposed for memory under a key. */
    proposals(runId: string, key: string): Promise<readonly MemoryProposal[]>;
  };
}

/** The methods of a runtime that this file reads. */
export interface Divisible extends Pick<Runtime, 'start' | 'invoke' | 'approve' | 'resume' | 'verify' | 'grants'> {
  readonly agents: Runtime['agents'] & { breakers(): readonly { readonly tenantId: string }[] };
  readonly gates: GateActions &
    Pick<RecordQueries, 'evidence'> & { list(filter?: { readonly tenant?: string }): Promise<unknown> };
  readonly sessions: RunActions & Pick<RecordQueries, 'readState' | 'writeState'>;
  readonly records: Pick<RecordQueries, 'document'>;
  readonly memory: Pick<MemoryAdmin, 'list'>;
  readonly threads: Threads;
}

type Method = (...args: readonly unknown[]) => Promise<unknown>;
type Stream = (...args: readonly unknown[]) => AsyncIterable<unknown>;

/** A group of methods, by name. */
type Group = Readonly<Record<string, Method | undefined>>;

/** The runtime of one tenant. The host has authenticated the identity; every method checks that the tenant owns its argument. */
export function createTenantRuntime<All extends Divisible>(
  all: All,
  identity: Identity,
  { journal, clock }: { readonly journal: Journal; readonly clock: Clock },
): TenantRuntime<All> {
  const tenancy: Tenancy = { identity: parse(Identity, identity, 'input_invalid'), journal, clock };
  const gates = { ...guardMethods(tenancy, all.gates, BY_GATE, assertOwnGate), ...ownGates(tenancy, all) };
  const sessions = {
    ...guardMethods(tenancy, all.sessions, BY_RUN.sessions, assertOwnRun),
    ...streams(tenancy, all.sessions),
    ...ownSessions(tenancy, all),
  };
  const records = {
    ...guardMethods(tenancy, all.records, BY_RUN.records, assertOwnRun),
    document: (runId: string, address: string) => ownDocument(tenancy, runId, address),
  };
  const groups = { agents: ownAgents(tenancy, all), gates, sessions, records, grants: ownGrants(tenancy, all) };
  const start = (...args: readonly unknown[]): RunHandle => guardRun(tenancy, startOwnRun(tenancy, all, args));
  const runtime = {
    ...guardMethods(tenancy, all, ['resume'], assertOwnRun),
    ...guardMethods(tenancy, all, ['approve'], assertOwnGate),
    start,
    invoke: async (...args: readonly unknown[]) => await start(...args).settled,
    verify: ownVerify(tenancy, all),
    ...Object.fromEntries(Object.entries(groups).map(([name, group]) => [name, Object.freeze(group)])),
    threads: ownThreads(all.threads, tenancy.identity, () => assertCurrent(tenancy)),
    memory: Object.freeze(ownMemories(tenancy, all)),
  };
  return Object.freeze(runtime) as unknown as TenantRuntime<All>;
}

/** Starts a run with the identity of the tenant runtime. A request that claims another one is rejected. */
function startOwnRun(tenancy: Tenancy, all: Divisible, args: readonly unknown[]): RunHandle {
  assertCurrent(tenancy);
  const { agent, request, ...options } = readStartArguments(args);
  const plain = plainInput(request);
  if (agent !== undefined) return all.start(agent, withIdentity(tenancy, plain), options);
  return all.start(withIdentity(tenancy, isEnvelope(plain) ? ownInput(tenancy, plain) : plain), options);
}

/** The same run, whose identity is checked at every use, because it may expire meanwhile. */
function guardRun(tenancy: Tenancy, run: RunHandle): RunHandle {
  const guard = <T>(values: AsyncIterable<T>): AsyncIterable<T> => guardValues(values, () => assertCurrent(tenancy));
  return Object.freeze({
    ...run,
    events: guard(run.events),
    text: guard(run.text),
    eventsAfter: (cursor: string) => guard(run.eventsAfter(cursor)),
    packet: async (packetHash: string) => {
      await assertOwnPacket(tenancy, packetHash);
      return await run.packet(packetHash);
    },
    cancel: async (reason: string) => {
      assertCurrent(tenancy);
      return await run.cancel(reason);
    },
  });
}

/** The named methods of a group, each behind a check that the tenant owns the first argument. */
function guardMethods(
  tenancy: Tenancy,
  group: object,
  names: readonly string[],
  assertOwn: (of: Tenancy, id: unknown) => Promise<void>,
): Readonly<Record<string, Method>> {
  const methods = group as Group;
  return Object.fromEntries(
    names.map((name): [string, Method] => [
      name,
      async (id, ...rest) => {
        await assertOwn(tenancy, id);
        const method = methods[name];
        if (method === undefined) throw noAccess();
        return await method(id, ...rest);
      },
    ]),
  );
}

const streams = (tenancy: Tenancy, sessions: object): Readonly<Record<string, Stream>> =>
  Object.fromEntries(STREAMS.map((name) => [name, guardStream(tenancy, (sessions as Group)[name])]));

function ownGates(tenancy: Tenancy, { gates }: Divisible): Pick<Divisible['gates'], 'list' | 'packet' | 'evidence'> {
  const tenant = tenancy.identity.tenant_id;
  return {
    list: async (filter) => {
      assertCurrent(tenancy);
      return await gates.list({ ...filter, tenant });
    },
    packet: async (packetHash) => {
      await assertOwnPacket(tenancy, packetHash);
      return await gates.packet(packetHash);
    },
    evidence: async (address, credential) => {
      assertCurrent(tenancy);
      // A missing blob would reveal that another tenant's packet refers to it.
      return await gates.evidence(address, credential, { tenant }).catch((error: unknown) => {
        throw Fault.is(error) && error.code === 'blob_missing' ? noAccess() : error;
      });
    },
  };
}

function ownSessions(
  tenancy: Tenancy,
  { sessions }: Divisible,
): Pick<Divisible['sessions'], 'list' | 'follow' | 'readState' | 'writeState'> {
  return {
    follow: async (runId, options) => {
      await assertOwnRun(tenancy, runId);
      return guardRun(tenancy, await sessions.follow(runId, options));
    },
    list: async (filter) => {
      assertCurrent(tenancy);
      const { tenant_id: tenant } = tenancy.identity;
      const rows = await sessions.list({ ...filter, tenant });
      return await recordedOf(tenancy.journal, tenant, rows, ({ runId }) => runId);
    },
    readState: async (runId, category, as) => {
      await assertOwnRun(tenancy, runId);
      assertReads(tenancy, as);
      return await sessions.readState(runId, category, as);
    },
    writeState: async (runId, category, as, value) => {
      await assertOwnRun(tenancy, runId);
      assertReads(tenancy, as);
      await sessions.writeState(runId, category, as, value);
    },
  };
}

function ownGrants(tenancy: Tenancy, { grants }: Divisible): Grants {
  const tenant = tenancy.identity.tenant_id;
  return {
    give: async (terms, credential) => {
      assertCurrent(tenancy);
      return await grants.give(ownInput(tenancy, terms), credential);
    },
    revoke: async (grantId, reason, credential) => {
      assertCurrent(tenancy);
      const isOwn = (await grants.list({ tenant })).some(({ grant }) => grant.grant_id === grantId);
      if (!isOwn) throw noAccess();
      await grants.revoke(grantId, reason, credential);
    },
    list: async (filter) => {
      assertCurrent(tenancy);
      return await grants.list({ ...filter, tenant });
    },
    refused: async () => {
      assertCurrent(tenancy);
      return await grants.refused({ tenant });
    },
  };
}

function ownMemories(tenancy: Tenancy, { memory }: Divisible): TenantRuntime<Divisible>['memory'] {
  return {
    list: async () => {
      assertCurrent(tenancy);
      return await memory.list(tenancy.identity.tenant_id);
    },
    proposals: (runId, key) => ownMemory(tenancy, runId, key),
  };
}

/** A tenant reads as the model, or as an auditor with an auditor's role; never as the system. */
function assertReads({ identity }: Tenancy, as: StateReader): void {
  if (as === 'model') return;
  if (as === 'auditor' && identity.roles.some((role) => AUDITOR_ROLES.includes(role))) return;
  throw noAccess();
}

/** Guards a stream. The identity is checked before each value, because it may expire meanwhile. */
const guardStream = (tenancy: Tenancy, stream: Method | undefined): Stream =>
  async function* follow(id, ...rest) {
    await assertOwnRun(tenancy, id);
    if (stream === undefined) throw noAccess();
    yield* guardValues((stream as unknown as Stream)(id, ...rest), () => assertCurrent(tenancy));
  };

async function assertOwnRun(tenancy: Tenancy, runId: unknown): Promise<void> {
  assertCurrent(tenancy);
  const { journal, identity } = tenancy;
  if (typeof runId !== 'string') throw noAccess();
  const [row] = await journal.list({ tenant: identity.tenant_id, session: runId, limit: 1 });
  if (row === undefined || !(await isRecordedOf(journal, identity.tenant_id, runId))) throw noAccess();
}

async function assertOwnGate(tenancy: Tenancy, gateId: unknown): Promise<void> {
  assertCurrent(tenancy);
  const { journal, identity } = tenancy;
  if (typeof gateId !== 'string') throw noAccess();
  const [gate] = await journal.gates({ tenant: identity.tenant_id, gate: gateId, limit: 1 });
  // Gates of imported runs are not stored, so the owner of the run decides.
  await assertOwnRun(tenancy, gate?.session_id ?? (await importedRunOf(journal, gateId)));
}

async function assertOwnPacket(tenancy: Tenancy, packetHash: unknown): Promise<void> {
  assertCurrent(tenancy);
  if (typeof packetHash !== 'string') throw noAccess();
  const [gate] = await tenancy.journal.gates({ tenant: tenancy.identity.tenant_id, packet: packetHash, limit: 1 });
  await assertOwnRun(tenancy, gate?.session_id ?? null);
}

/** The text at an address that this run itself stored. */
async function ownDocument(tenancy: Tenancy, runId: string, address: string): Promise<string> {
  if (!hasStored(await ownEvents(tenancy, runId), address)) throw noAccess();
  return await tenancy.journal.blob(address as `sha256:${string}`, runId);
}

/** The memory proposals of a run under a key. */
async function ownMemory(tenancy: Tenancy, runId: string, key: string): Promise<readonly MemoryProposal[]> {
  const nominated = (await ownEvents(tenancy, runId)).flatMap((event) =>
    event.type === 'memory_proposed' ? event.proposals.filter((proposal) => proposal.key === key) : [],
  );
  if (nominated.length === 0) throw noAccess();
  return nominated;
}

async function ownEvents(tenancy: Tenancy, runId: string): Promise<readonly RunEvent[]> {
  await assertOwnRun(tenancy, runId);
  return (await tenancy.journal.load(runId)).flatMap(frameEvents);
}
