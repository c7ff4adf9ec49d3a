import type { Ask } from '../../model/ask.ts';
import { Fault } from '../../model/fault.ts';
import { Identity } from '../../model/identity.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { sameJson } from '../../model/json-at.ts';
import type { MemoryProposal } from '../../model/memory.ts';
import { own } from '../../model/own.ts';
import { parse } from '../../model/parse.ts';
import type { StateReader } from '../../model/state-store.ts';
import { takeJson } from '../../model/take-json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal.ts';
import type { MemoryRow } from '../../ports/memory-store.ts';
import type { MemoryDesk } from '../memory/memory-desk.ts';
import type { Runtime } from '../runtime.ts';
import { AUDITOR_ROLES, type RecordDoors } from '../state/record-doors.ts';
import {
  assertCurrent,
  assertOwnGate,
  assertOwnPacket,
  assertOwnRun,
  notYours,
  ownDocument,
  ownMemory,
  type Tenancy,
} from './owned.ts';

/** What can be asked about a run or said to one: its id comes first. */
const BY_RUN = [
  'answer',
  'tell',
  'resume',
  'outcome',
  'decideEscalation',
  'extendBudget',
  'resumeSession',
  'cancel',
  'pause',
  'interrupt',
  'steer',
  'migrate',
  'terminate',
  'driver',
  'session',
  'replay',
  'trace',
  'account',
  'otel',
  'counts',
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
] as const;

/** What keeps coming of a run. */
const STREAMS = ['progress', 'watch'] as const;

/** What can be said at a gate, or asked about one. */
const BY_GATE = ['approve', 'reject', 'edit', 'requestInfo', 'provideInfo', 'gate'] as const;

/** What a runtime has that belongs to everybody: it stays with whoever runs it. */
type Everybodys =
  | 'within'
  | 'serve'
  | 'wake'
  | 'resumeAll'
  | 'agents'
  | 'close'
  | 'diff'
  | 'verifyChain'
  | 'exportRun'
  | 'fork'
  | 'importRun'
  | 'imported'
  | 'audit'
  | 'killSwitches'
  | 'vault'
  | 'memories';

/** The part of a runtime that one tenant may reach. Whatever belongs to others is `permission_denied`, if it exists or not. */
export type TenantDoor<Whole> = Omit<Whole, Everybodys> & {
  /** A text that a run of this tenant has kept beside its journal: a packet, or a large answer. */
  document(runId: string, address: string): Promise<string>;
  /** What a run of this tenant has nominated for memory under a key. */
  memory(runId: string, key: string): Promise<readonly MemoryProposal[]>;
  /** What is remembered of this tenant, to look at: putting it away and building it anew are an operator's. */
  readonly memories: { list(): Promise<readonly MemoryRow[]> };
};

/** What a door is cut out of, as far as it is looked at here. */
export type Divisible = Pick<
  Runtime,
  'invoke' | 'packet' | 'sessions' | 'giveGrant' | 'revokeGrant' | 'grants' | 'refusedGrants' | 'dryRun'
> & {
  pending(filter?: { readonly tenant?: string }): Promise<unknown>;
  breakers(): readonly { readonly tenantId: string }[];
  readonly memories: Pick<MemoryDesk, 'list'>;
} & Pick<RecordDoors, 'evidence' | 'readState' | 'writeState'>;

type Method = (...given: readonly unknown[]) => Promise<unknown>;
type Stream = (...given: readonly unknown[]) => AsyncIterable<unknown>;

/** The host has established who it is; from here on nothing that is asked for is somebody else's. */
export function tenantDoor<Whole extends Divisible>(
  whole: Whole,
  identity: Identity,
  { journal, clock }: { readonly journal: Journal; readonly clock: Clock },
): TenantDoor<Whole> {
  const tenancy: Tenancy = { identity: parse(Identity, identity, 'input_invalid'), journal, clock };
  const tenant = tenancy.identity.tenant_id;
  const methods = whole as unknown as Readonly<Record<string, Method | undefined>>;
  const guarded = (names: readonly string[], assertOwn: (of: Tenancy, id: unknown) => Promise<void>) =>
    names.map((name): [string, Method] => [
      name,
      async (id, ...rest) => {
        await assertOwn(tenancy, id);
        const method = methods[name];
        if (method === undefined) throw notYours();
        return await method(id, ...rest);
      },
    ]);
  const streams = STREAMS.map((name): [string, Stream] => [name, guardedStream(tenancy, methods[name])]);
  const door: TenantDoor<Divisible> = {
    invoke: async (request: unknown, ask?: Ask) => {
      assertCurrent(tenancy);
      // Who asks is the one at the door, whatever is said about it.
      if (ask !== undefined) return await whole.invoke(String(request), asked(tenancy, plainWords(ask)));
      return await whole.invoke(asked(tenancy, ownWords(tenancy, request)));
    },
    packet: async (packetHash) => {
      await assertOwnPacket(tenancy, packetHash);
      return await whole.packet(packetHash);
    },
    sessions: async (filter) => {
      assertCurrent(tenancy);
      return await whole.sessions({ ...filter, tenant });
    },
    giveGrant: async (terms, credential) => {
      assertCurrent(tenancy);
      return await whole.giveGrant(ownWords(tenancy, terms), credential);
    },
    revokeGrant: async (grantId, reason, credential) => {
      assertCurrent(tenancy);
      const isOwn = (await whole.grants({ tenant })).some(({ grant }) => grant.grant_id === grantId);
      if (!isOwn) throw notYours();
      await whole.revokeGrant(grantId, reason, credential);
    },
    grants: async (filter) => {
      assertCurrent(tenancy);
      return await whole.grants({ ...filter, tenant });
    },
    refusedGrants: async () => {
      assertCurrent(tenancy);
      return await whole.refusedGrants({ tenant });
    },
    pending: async (filter) => {
      assertCurrent(tenancy);
      return await whole.pending({ ...filter, tenant });
    },
    breakers: () => {
      assertCurrent(tenancy);
      return whole.breakers().filter(({ tenantId }) => tenantId === tenant);
    },
    dryRun: (plan, agent) => {
      assertCurrent(tenancy);
      return whole.dryRun(plan, agent);
    },
    evidence: async (address, credential) => {
      assertCurrent(tenancy);
      // That somebody else's packet names it would be an answer, too.
      return await whole.evidence(address, credential, { tenant }).catch((error: unknown) => {
        throw Fault.is(error) && error.code === 'blob_missing' ? notYours() : error;
      });
    },
    readState: async (runId, category, as) => {
      await assertOwnRun(tenancy, runId);
      assertReads(tenancy, as);
      return await whole.readState(runId, category, as);
    },
    writeState: async (runId, category, as, value) => {
      await assertOwnRun(tenancy, runId);
      assertReads(tenancy, as);
      await whole.writeState(runId, category, as, value);
    },
    memories: Object.freeze({
      list: async () => {
        assertCurrent(tenancy);
        return await whole.memories.list(tenant);
      },
    }),
    document: (runId, address) => ownDocument(tenancy, runId, address),
    memory: (runId, key) => ownMemory(tenancy, runId, key),
  };
  const rest = Object.fromEntries([...streams, ...guarded(BY_RUN, assertOwnRun), ...guarded(BY_GATE, assertOwnGate)]);
  return Object.freeze({ ...rest, ...door }) as unknown as TenantDoor<Whole>;
}

/** As whom somebody at a door may read: as the model does, or as an auditor if they are one. The system has no door. */
function assertReads({ identity }: Tenancy, as: StateReader): void {
  if (as === 'model') return;
  if (as === 'auditor' && identity.roles.some((role) => AUDITOR_ROLES.includes(role))) return;
  throw notYours();
}

/** The same request, made by the one at the door. */
function asked<T extends object>({ identity }: Tenancy, request: T): T & { readonly identity: Identity } {
  const { identity: claimed = identity } = request as { readonly identity?: unknown };
  if (!sameJson(claimed as Json, identity as unknown as Json)) throw notYours();
  return { ...request, identity };
}

/** Whether it may be followed is looked at before each thing that is handed out: an identity expires on the way. */
const guardedStream = (tenancy: Tenancy, stream: Method | undefined): Stream =>
  async function* follow(id, ...rest) {
    await assertOwnRun(tenancy, id);
    if (stream === undefined) throw notYours();
    for await (const each of (stream as unknown as Stream)(id, ...rest)) {
      assertCurrent(tenancy);
      yield each;
    }
  };

/** Somebody's words as plain data, read once, if they are about this tenant. */
function ownWords<T>({ identity }: Tenancy, words: T): T & JsonObject {
  const plain = plainWords(words);
  if (own(plain, 'tenant_id') !== identity.tenant_id) throw notYours();
  return plain;
}

function plainWords<T>(words: T): T & JsonObject {
  const plain = takeJson(words);
  if (!isJsonObject(plain)) throw notYours();
  return plain as T & JsonObject;
}
