import { type Frame, GENESIS } from '../../model/events/frame.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { RefusedGrant } from '../../model/gate/grant.ts';
import type { KillSwitch } from '../../model/gate/kill-switch.ts';
import type { Address, Hash } from '../../model/json/hash.ts';
import type { RunLabel } from '../../model/record/run-label.ts';
import {
  blobNotStored,
  checkpointTaken,
  grantAlreadyUsed,
  refuseInThread,
  refuseOrphan,
  rowOfAnotherSession,
  standingRefused,
  tenantChanged,
} from '../../ports/journal/append-refusals.ts';
import {
  type Append,
  type CheckpointText,
  type GateFilter,
  LIST_LIMIT,
  type SessionFilter,
  type ThreadFilter,
} from '../../ports/journal/journal.ts';
import { intendedBy, isStopping, killSwitchOn } from '../../ports/journal/kill-switches.ts';
import type {
  CheckpointRow,
  EffectRow,
  GateRow,
  GrantUse,
  Projections,
  SessionRow,
  ThreadRow,
} from '../../ports/journal/rows.ts';
import { type PlaceRuling, ruleOnPlace } from '../../ports/journal/rule-on-place.ts';
import type { Driver } from '../../ports/journal/scheduler.ts';
import {
  REFUSED_GRANTS_MAX,
  type StandingGrants,
  type StandingRow,
  type StandingUse,
  whyExhausted,
} from '../../ports/journal/standing-grants.ts';
import { verifyFirst, verifyLoaded, verifyText } from '../../ports/journal/verify-stored.ts';

/** The data of in-memory journals. It outlives a closed journal, and journals on the same disk share it. */
export interface MemoryDisk {
  readonly frames: Map<string, Frame[]>;
  readonly blobs: Map<Address, string>;
  readonly sessions: Map<string, SessionRow>;
  /** The sessions of each thread, by tenant and thread, in the order in which they began. */
  readonly threads: Map<string, string[]>;
  readonly gates: Map<string, GateRow>;
  /** The effect ledger of each session, by key. */
  readonly effects: Map<string, Map<string, EffectRow>>;
  readonly grants: Map<string, GrantUse>;
  readonly standing: Map<string, StandingRow>;
  readonly standingUses: StandingUse[];
  readonly refusedGrants: RefusedGrant[];
  readonly killSwitches: Map<string, KillSwitch>;
  readonly labels: RunLabel[];
  readonly drivers: Map<string, Driver>;
  readonly checkpoints: Map<string, CheckpointRow>;
  /** By session. */
  readonly latestCheckpoints: Map<string, CheckpointRow>;
}

export function memoryDisk(): MemoryDisk {
  return {
    frames: new Map(),
    blobs: new Map(),
    sessions: new Map(),
    threads: new Map(),
    gates: new Map(),
    effects: new Map(),
    grants: new Map(),
    standing: new Map(),
    standingUses: [],
    refusedGrants: [],
    killSwitches: new Map(),
    labels: [],
    drivers: new Map(),
    checkpoints: new Map(),
    latestCheckpoints: new Map(),
  };
}

export function readMemoryFrames(disk: MemoryDisk, hash: Hash, session: string, fromSeq: number): readonly Frame[] {
  const all = disk.frames.get(session) ?? [];
  const before = fromSeq === 1 ? GENESIS : all[fromSeq - 2]?.hash;
  const frames = all.slice(fromSeq - 1);
  verifyLoaded({ session, fromSeq, frames, before, head: disk.sessions.get(session) }, hash);
  return frames;
}

export function readMemoryFirst(disk: MemoryDisk, hash: Hash, session: string): Frame | null {
  const first = disk.frames.get(session)?.[0];
  return first === undefined ? null : verifyFirst(first, hash);
}

export function readMemoryCheckpoint(disk: MemoryDisk, hash: Hash, checkpointId: string): CheckpointText {
  const row = disk.checkpoints.get(checkpointId);
  if (row === undefined) throw new Fault('blob_missing', `there is no checkpoint ${checkpointId}`);
  return { row, text: verifyText(row.address, disk.blobs.get(row.address), hash, 'checkpoint_corrupt') };
}

export const readMemoryEffects = (disk: MemoryDisk, session: string): readonly EffectRow[] => [
  ...(disk.effects.get(session)?.values() ?? []),
];

type ListPlace = NonNullable<SessionFilter['after']>;

export function readSessions(disk: MemoryDisk, filter: SessionFilter): readonly SessionRow[] {
  const { session, tenant, agent, mode, statuses, wakeBy, seenBefore, order = 'newest', after } = filter;
  const direction = order === 'newest' ? -1 : 1;
  const compare = (a: ListPlace, b: ListPlace): number =>
    direction * (a.updated_at - b.updated_at) || byText(a.session_id, b.session_id);
  return [...disk.sessions.values()]
    .filter(
      (row) =>
        (session === undefined || row.session_id === session) &&
        (tenant === undefined || row.tenant_id === tenant) &&
        (agent === undefined || row.agent === agent) &&
        (mode === undefined || row.mode === mode) &&
        (statuses === undefined || statuses.includes(row.status)) &&
        (wakeBy === undefined || (row.wake_at !== null && row.wake_at <= wakeBy)) &&
        (seenBefore === undefined || row.last_seen < seenBefore) &&
        (after === undefined || compare(row, after) > 0),
    )
    .sort(compare)
    .slice(0, filter.limit ?? LIST_LIMIT);
}

export function readThreads(disk: MemoryDisk, filter: ThreadFilter): readonly ThreadRow[] {
  const { thread, tenant, user, agent, limit = LIST_LIMIT } = filter;
  return [...disk.threads.values()]
    .flatMap((sessions) => threadRow(sessions.flatMap((session) => disk.sessions.get(session) ?? [])))
    .filter(
      (row) =>
        (thread === undefined || row.thread === thread) &&
        (tenant === undefined || row.tenant_id === tenant) &&
        (user === undefined || row.thread_user === user) &&
        (agent === undefined || row.agent === agent),
    )
    .sort((a, b) => b.updated_at - a.updated_at || byText(a.tenant_id, b.tenant_id) || byText(a.thread, b.thread))
    .slice(0, limit);
}

function threadRow(sessions: readonly SessionRow[]): readonly ThreadRow[] {
  const [first] = sessions;
  if (first === undefined || first.thread === null || first.thread_user === null) return [];
  const { thread, tenant_id, thread_user, agent, started_at } = first;
  const updated_at = Math.max(...sessions.map((row) => row.updated_at));
  return [{ thread, tenant_id, thread_user, agent, sessions: sessions.length, started_at, updated_at }];
}

/** The key of a thread. A name holds no blank, so that two keys are never equal. */
const threadKey = (tenant: string, thread: string): string => `${tenant} ${thread}`;

export const readThreadSessions = (disk: MemoryDisk, tenant: string, thread: string): readonly SessionRow[] =>
  (disk.threads.get(threadKey(tenant, thread)) ?? []).flatMap((session) => disk.sessions.get(session) ?? []);

export function readGates(disk: MemoryDisk, filter: GateFilter): readonly GateRow[] {
  const { gate, name, action, tenant, session, packet, statuses, order = 'oldest', limit = LIST_LIMIT } = filter;
  const direction = order === 'newest' ? -1 : 1;
  return [...disk.gates.values()]
    .filter(
      (row) =>
        (gate === undefined || row.gate_id === gate) &&
        (name === undefined || row.name === name) &&
        (action === undefined || row.action === action) &&
        (tenant === undefined || row.tenant_id === tenant) &&
        (session === undefined || row.session_id === session) &&
        (packet === undefined || row.packet_hash === packet) &&
        (statuses === undefined || statuses.includes(row.status)),
    )
    .sort((a, b) => direction * (a.opened_at - b.opened_at) || byText(a.gate_id, b.gate_id))
    .slice(0, limit);
}

/** Compares ids, which are ASCII, by code unit, so that all stores and machines agree on the order. */
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Decides whether an append may be stored. Checks everything first, because a partial write cannot be undone. */
export function rule(disk: MemoryDisk, append: Append): PlaceRuling {
  const { frame, session } = append;
  const frames = disk.frames.get(session) ?? [];
  const ruling = ruleOnPlace(append, {
    there: frames[frame.seq - 1] ?? null,
    before: frames[frame.seq - 2] ?? null,
    session: disk.sessions.get(session) ?? null,
  });
  return ruling === 'free' ? (refusal(disk, append) ?? 'free') : ruling;
}

function refusal(disk: MemoryDisk, { projections, blobs, session }: Append): Fault | null {
  const { gates, grants, checkpoints, standing = [] } = projections;
  const tenant = disk.sessions.get(session)?.tenant_id ?? projections.session.tenant_id;
  if (tenant !== projections.session.tenant_id) return tenantChanged(projections.session);
  const { thread, tenant_id } = projections.session;
  if (thread !== null && !disk.sessions.has(session)) {
    const denied = refuseInThread(projections.session, readThreadSessions(disk, tenant_id, thread));
    if (denied !== null) return denied;
  }
  const intended = intendedBy(projections);
  const thrown = [...disk.killSwitches.values()].find((each) => intended.some((call) => isStopping(each, call)));
  if (thrown !== undefined) return killSwitchOn(thrown);
  const orphan = refuseOrphan(projections, (parent) => disk.sessions.get(parent));
  if (orphan !== null) return orphan;
  const gate = gates.find(({ gate_id }) => isForeign(disk.gates.get(gate_id), session));
  if (gate !== undefined) return rowOfAnotherSession('gate', gate.gate_id);
  const used = grants.find(({ grant_id }, index) => disk.grants.has(grant_id) || isRepeated(grants, grant_id, index));
  if (used !== undefined) return grantAlreadyUsed(used);
  for (const use of standing) {
    const why = whyExhausted(disk.standing.get(use.grant_id) ?? null, use);
    if (why !== null) return standingRefused(use, why);
  }
  const taken = checkpoints.find((row) => isTaken(disk.checkpoints.get(row.checkpoint_id), row));
  if (taken !== undefined) return checkpointTaken(taken);
  const coming = new Set(blobs.map(({ address }) => address));
  const lost = referredTo(projections).find((address) => !coming.has(address) && !disk.blobs.has(address));
  return lost === undefined ? null : blobNotStored(lost);
}

const isForeign = (row: { readonly session_id: string } | undefined, session: string): boolean =>
  row !== undefined && row.session_id !== session;

const isRepeated = (uses: Projections['grants'], grantId: string, index: number): boolean =>
  uses.findIndex(({ grant_id }) => grant_id === grantId) !== index;

const isTaken = (held: CheckpointRow | undefined, row: CheckpointRow): boolean =>
  held !== undefined && (held.address !== row.address || held.session_id !== row.session_id);

function referredTo({ checkpoints, effects }: Projections): readonly Address[] {
  const results = effects.flatMap(({ result }) => (result === null ? [] : [result]));
  return [...checkpoints.map(({ address }) => address), ...results];
}

/** Stores an append that was ruled free. Copies and freezes its rows, so that the caller cannot change them later. */
export function write(disk: MemoryDisk, { frame, blobs, projections, session }: Append): void {
  const frames = disk.frames.get(session);
  if (frames === undefined) disk.frames.set(session, [frozen(frame)]);
  else frames.push(frozen(frame));
  for (const { address, text } of blobs) if (!disk.blobs.has(address)) disk.blobs.set(address, text);
  if (frames === undefined) joinThread(disk, projections.session);
  disk.sessions.set(session, frozen(projections.session));
  for (const gate of projections.gates) disk.gates.set(gate.gate_id, frozen(gate));
  for (const effect of projections.effects) keepEffect(disk, effect);
  for (const use of projections.grants) disk.grants.set(use.grant_id, frozen(use));
  for (const use of projections.standing ?? []) recordUse(disk, use);
  for (const row of projections.checkpoints) {
    if (disk.checkpoints.has(row.checkpoint_id)) continue;
    disk.checkpoints.set(row.checkpoint_id, frozen(row));
    disk.latestCheckpoints.set(session, frozen(row));
  }
}

function joinThread({ threads }: MemoryDisk, { thread, tenant_id, session_id }: SessionRow): void {
  if (thread === null) return;
  const key = threadKey(tenant_id, thread);
  threads.set(key, [...(threads.get(key) ?? []), session_id]);
}

/** A settled effect never changes again. */
function keepEffect({ effects }: MemoryDisk, effect: EffectRow): void {
  const ledger = effects.get(effect.session_id) ?? new Map<string, EffectRow>();
  effects.set(effect.session_id, ledger);
  if (ledger.get(effect.idempotency_key)?.state === 'settled') return;
  ledger.set(effect.idempotency_key, frozen(effect));
}

const frozen = <T extends object>(row: T): T => Object.freeze({ ...row });

function recordUse(disk: MemoryDisk, use: StandingUse): void {
  const row = disk.standing.get(use.grant_id);
  if (row === undefined) return;
  disk.standing.set(use.grant_id, { ...row, uses: row.uses + 1, microusd: row.microusd + use.microusd });
  disk.standingUses.push(Object.freeze({ ...use }));
}

export function memoryStanding(open: () => MemoryDisk): StandingGrants {
  return {
    giveGrant: async (grant) => {
      const { standing } = open();
      if (standing.has(grant.grant_id)) throw new Fault('grant_exists', `there is a grant ${grant.grant_id} already`);
      standing.set(grant.grant_id, { grant: Object.freeze({ ...grant }), revoked: null, uses: 0, microusd: 0 });
    },
    revokeGrant: async (grantId, revoked) => {
      const { standing } = open();
      const row = standing.get(grantId);
      if (row === undefined) throw new Fault('grant_not_found', `there is no standing grant ${grantId}`);
      if (row.revoked === null) standing.set(grantId, { ...row, revoked });
    },
    standingGrants: async ({ tenant, tool } = {}) =>
      [...open().standing.values()].filter(
        ({ grant }) =>
          (tenant === undefined || grant.tenant_id === tenant) && (tool === undefined || grant.tool === tool),
      ),
    standingUses: async (grantId) => open().standingUses.filter(({ grant_id }) => grant_id === grantId),
    noteRefusedGrant: async (refused) => {
      const { refusedGrants } = open();
      const kept = refusedGrants.filter(({ tenant_id }) => tenant_id === refused.tenant_id).length;
      if (kept < REFUSED_GRANTS_MAX) refusedGrants.push(Object.freeze({ ...refused }));
    },
    refusedGrants: async ({ tenant } = {}) =>
      open().refusedGrants.filter(({ tenant_id }) => tenant === undefined || tenant_id === tenant),
  };
}
