import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { GENESIS } from '../../model/events/frame.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Blob } from '../../model/json/blob.ts';
import type { Address } from '../../model/json/hash.ts';
import {
  blobNotStored,
  checkpointTaken,
  grantAlreadyUsed,
  refuseInThread,
  rowOfAnotherSession,
  tenantChanged,
} from '../../ports/journal/append-refusals.ts';
import type { Append } from '../../ports/journal/journal.ts';
import type { CheckpointRow, SessionRow } from '../../ports/journal/rows.ts';
import { ruleOnPlace } from '../../ports/journal/rule-on-place.ts';
import { packExtras } from './extras.ts';
import type { KnownSessions, StoredSession } from './known-sessions.ts';
import { packText } from './open-database.ts';
import { type FrameSigner, nameOf } from './permissions/frame-signatures.ts';
import type { PermissionHead } from './permissions/permission-chain.ts';
import { findCheckpoint, findText, readPlace } from './read.ts';
import type { Statements } from './statements.ts';

/** An open transaction: its statements and the next row number. */
export interface Writing {
  readonly statements: Statements;
  readonly known: KnownSessions;
  readonly signer: FrameSigner | null;
  /** The end of the permission records when the transaction began. */
  readonly saw: PermissionHead;
  nextRow(): number;
}

/** Writes one append in an open transaction; the caller rolls back on an error. False if it was stored before. */
export function writeAppend(writing: Writing, append: Append): boolean {
  const before = findSession(writing, append);
  if (before === 'stored') {
    writing.known.drop(append.session);
    return false;
  }
  if (before !== null && before.tenant_id !== append.projections.session.tenant_id)
    throw tenantChanged(append.projections.session);
  if (before === null) assertJoinsThread(writing, append);
  const row = writing.nextRow();
  const ids = writeCheckpointIds(writing, append, before, row);
  const kept = writeTexts(writing, append, before);
  writeFrame(writing, append, before, row);
  const { statements } = writing;
  const extras = packExtras(
    { texts: kept, checkpoints: ids.noted, effects: append.projections.effects },
    append.frame.events,
  );
  if (extras !== null) statements.insertExtras.run(row, extras.notes, extras.texts);
  writeSession(writing, append, before, { last_row: row, checkpoints: ids.count });
  writeRest(writing, append);
  const now = { ...append.projections.session, sid: before?.sid ?? row, last_row: row, checkpoints: ids.count };
  writing.known.recordAppend(append, before, now);
  return true;
}

/** Checks a new session within the transaction, so that no other session of its thread can begin meanwhile. */
function assertJoinsThread({ statements }: Writing, { projections: { session } }: Append): void {
  if (session.thread === null) return;
  const others = statements.inThread.all(session.tenant_id, session.thread) as unknown as readonly StoredSession[];
  const fault = refuseInThread(session, others);
  if (fault !== null) throw fault;
}

/** Returns the session that this append continues, or null for a new session. */
function findSession({ statements, known }: Writing, append: Append): StoredSession | null | 'stored' {
  const { frame, session } = append;
  const remembered = known.get(session);
  if (remembered !== null && isContinuation(append, remembered)) return remembered;
  const stored = known.read(session);
  if (stored !== null && isContinuation(append, stored)) return stored;
  const ruling = ruleOnPlace(append, readPlace(statements, stored, frame.seq));
  if (ruling === 'stored') return 'stored';
  if (ruling !== 'free') throw ruling;
  return stored;
}

const isContinuation = ({ frame }: Append, row: StoredSession): boolean =>
  row.seq === frame.seq - 1 && row.head_hash === frame.prev && row.terminal_code === null;

function writeFrame(
  { statements, signer, saw }: Writing,
  append: Append,
  before: StoredSession | null,
  row: number,
): void {
  const { seq, at, writer, events, hash } = append.frame;
  // A session's `sid` is the row of its first frame.
  const sid = before?.sid ?? row;
  const signature = signer?.sign(append, before, saw) ?? null;
  const place = [row, sid, seq, before?.last_row ?? null, at, writer] as const;
  statements.insertFrame.run(...place, hash, packText(events), nameOf(saw), signature);
}

/** The columns of a session's row that only this store uses. */
type StoreColumns = Pick<StoredSession, 'last_row' | 'checkpoints'>;

function writeSession(
  { statements }: Writing,
  { frame, projections: { session: row } }: Append,
  before: StoredSession | null,
  { last_row, checkpoints }: StoreColumns,
): void {
  const { seq, hash, prev } = frame;
  const { node, updated_at, last_seen, status, wake_at, terminal_code, agent, intent, started_at } = row;
  const { thread, thread_user, mode } = row;
  if (before === null) {
    if (prev !== GENESIS) throw new Fault('internal', `frame ${seq} of ${row.session_id} continues nothing`);
    const names = [row.session_id, row.tenant_id, agent, intent, status, node] as const;
    const rest = [seq, hash, updated_at, wake_at, terminal_code, last_seen, last_row, checkpoints, started_at] as const;
    statements.insertSession.run(last_row, ...names, ...rest, thread, thread_user, mode);
  } else {
    const moved = [before.sid, seq, prev, hash, last_row, checkpoints, updated_at, last_seen, node] as const;
    const isWritten = isOnlyMoved(row, before)
      ? changes(statements.moveSession, ...moved)
      : changes(statements.changeSession, ...moved, status, wake_at, terminal_code, agent, intent);
    if (!isWritten) throw new Fault('fenced', `session ${row.session_id} has moved on; reload it before going on`);
  }
}

const isOnlyMoved = (row: SessionRow, before: StoredSession): boolean =>
  row.status === before.status &&
  row.wake_at === before.wake_at &&
  row.terminal_code === before.terminal_code &&
  row.agent === before.agent &&
  row.intent === before.intent;

/** A longer text is stored as a shared blob, compressed. */
const KEPT_MAX = 4_096;

/**
 * Stores the append's texts. Small texts that its own rows refer to go into its extras; all others are stored once as
 * shared blobs, because other appends may refer to them.
 */
function writeTexts(
  { statements }: Writing,
  { blobs, projections }: Append,
  before: StoredSession | null,
): readonly Blob[] {
  const referred = new Set<Address>();
  for (const { address } of projections.checkpoints) referred.add(address);
  for (const { result } of projections.effects) if (result !== null) referred.add(result);
  const kept = new Map<string, Blob>();
  for (const blob of blobs) {
    const { address, text } = blob;
    if (referred.has(address) && text.length <= KEPT_MAX) kept.set(address, blob);
    else statements.insertBlob.run(address, packText(text));
  }
  for (const address of referred) {
    if (kept.has(address) || blobs.some((blob) => blob.address === address)) continue;
    if (findText(statements, address, before) === undefined) throw blobNotStored(address);
  }
  return [...kept.values()];
}

interface CheckpointIds {
  readonly count: number;
  readonly noted: readonly (readonly [checkpointId: string, address: CheckpointRow['address']])[];
}

/**
 * Stores checkpoint ids. An id of the form `ck_<session>_<next number>` is found through its session; any other id goes
 * into a list. Storing the same checkpoint again changes nothing.
 */
function writeCheckpointIds(
  writing: Writing,
  append: Append,
  before: StoredSession | null,
  row: number,
): CheckpointIds {
  const { statements } = writing;
  const { session, projections } = append;
  const noted: (readonly [string, CheckpointRow['address']])[] = [];
  let count = before?.checkpoints ?? 0;
  for (const checkpoint of projections.checkpoints) {
    const { checkpoint_id, address } = checkpoint;
    if (checkpoint_id === `ck_${session}_${count + 1}`) count += 1;
    else {
      const taken = findCheckpoint(statements, checkpoint_id);
      if (taken !== null && (taken.session_id !== session || taken.address !== address))
        throw checkpointTaken(checkpoint);
      if (taken !== null || noted.some(([id]) => id === checkpoint_id)) continue;
      const [, owner] = /^ck_(.+)_\d+$/.exec(checkpoint_id) ?? [];
      if (owner !== undefined && owner !== session && statements.session.get(owner) !== undefined)
        throw rowOfAnotherSession('checkpoint', checkpoint_id);
      statements.insertCheckpointId.run(checkpoint_id, row);
    }
    noted.push([checkpoint_id, address]);
  }
  return { count, noted };
}

function writeRest({ statements }: Writing, { projections: { gates, grants } }: Append): void {
  for (const gate of gates) {
    const { gate_id, session_id, tenant_id, name, kind, action, status } = gate;
    const named = [gate_id, session_id, tenant_id, name, kind, action, status] as const;
    if (!changes(statements.upsertGate, ...named, gate.packet_hash, gate.opened_at, gate.expires_at))
      throw rowOfAnotherSession('gate', gate_id);
  }
  for (const use of grants) {
    if (!changes(statements.insertGrantUse, use.grant_id, use.session_id, use.step_id, use.used_at))
      throw grantAlreadyUsed(use);
  }
}

function changes(statement: StatementSync, ...values: readonly SQLInputValue[]): boolean {
  return statement.run(...values).changes !== 0;
}
