import { type Frame, GENESIS } from '../../model/events/frame.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Hash } from '../../model/json/hash.ts';
import { type CheckpointText, type GateFilter, LIST_LIMIT, type SessionFilter } from '../../ports/journal/journal.ts';
import type { GateRow, SessionRow } from '../../ports/journal/rows.ts';
import { verifyFirst, verifyLoaded, verifyText } from '../../ports/journal/verify-stored.ts';
import type { MemoryDisk } from './disk.ts';

export function readMemoryFrames(disk: MemoryDisk, hash: Hash, session: string, fromSeq: number): readonly Frame[] {
  const all = disk.frames.get(session) ?? [];
  const before = fromSeq === 1 ? GENESIS : all[fromSeq - 2]?.hash;
  const frames = all.slice(fromSeq - 1);
  verifyLoaded({ session, fromSeq, frames, before, head: disk.sessions.get(session) }, hash);
  return frames;
}

export function readFirst(disk: MemoryDisk, hash: Hash, session: string): Frame | null {
  const first = disk.frames.get(session)?.[0];
  return first === undefined ? null : verifyFirst(first, hash);
}

export function readMemoryCheckpoint(disk: MemoryDisk, hash: Hash, checkpointId: string): CheckpointText {
  const row = disk.checkpoints.get(checkpointId);
  if (row === undefined) throw new Fault('blob_missing', `there is no checkpoint ${checkpointId}`);
  return { row, text: verifyText(row.address, disk.blobs.get(row.address), hash, 'checkpoint_corrupt') };
}

type ListPlace = NonNullable<SessionFilter['after']>;

export function readSessions(disk: MemoryDisk, filter: SessionFilter): readonly SessionRow[] {
  const { session, tenant, agent, statuses, wakeBy, seenBefore, order = 'newest', after, limit = LIST_LIMIT } = filter;
  const direction = order === 'newest' ? -1 : 1;
  const compare = (a: ListPlace, b: ListPlace): number =>
    direction * (a.updated_at - b.updated_at) || byText(a.session_id, b.session_id);
  return [...disk.sessions.values()]
    .filter(
      (row) =>
        (session === undefined || row.session_id === session) &&
        (tenant === undefined || row.tenant_id === tenant) &&
        (agent === undefined || row.agent === agent) &&
        (statuses === undefined || statuses.includes(row.status)) &&
        (wakeBy === undefined || (row.wake_at !== null && row.wake_at <= wakeBy)) &&
        (seenBefore === undefined || row.last_seen < seenBefore) &&
        (after === undefined || compare(row, after) > 0),
    )
    .sort(compare)
    .slice(0, limit);
}

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
