import type { StatementSync } from 'node:sqlite';
import { type Frame, type FrameLink, GENESIS, stampVerified } from '../../model/events/frame.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Address, Hash } from '../../model/json/hash.ts';
import type { CheckpointText } from '../../ports/journal/journal.ts';
import type { CheckpointRow, EffectRow, SessionRow } from '../../ports/journal/rows.ts';
import type { AppendPlace } from '../../ports/journal/rule-on-place.ts';
import { verifyFirst, verifyLoaded, verifyText } from '../../ports/journal/verify-stored.ts';
import { checkpointsIn, LEDGER_LINES, ledgerOf, type Notes, readNotes, textIn } from './extras.ts';
import type { StoredSession } from './known-sessions.ts';
import { unpackText } from './open-database.ts';
import { type FollowedRecord, findMissingRecord } from './permissions/frame-signatures.ts';
import { recordedPrunings } from './permissions/prunings.ts';
import { allRows, plainRow } from './rows.ts';
import { isPruned, sessionPruned } from './sqlite-fault.ts';
import type { Statements } from './statements.ts';

/** Reads the head first and the frames backwards, so that a concurrent append does not look like damage. */
export function readFrames(statements: Statements, hash: Hash, session: string, fromSeq: number): readonly Frame[] {
  const head = sessionRow(statements, session);
  if (head === undefined || fromSeq > head.seq) return [];
  if (isPruned(head)) throw missingFrames(statements, head);
  const rows = statements.frames.all(head.last_row, fromSeq - 1) as unknown as (StoredFrame & FollowedRecord)[];
  if (rows.length === 0) throw missing(session, head.seq);
  // The frame before the first requested one is read too, to verify the link.
  const anchor = rows[0]?.seq === fromSeq - 1 ? rows.shift() : undefined;
  const before: FrameLink | undefined = fromSeq === 1 ? GENESIS : anchor?.hash;
  let prev: FrameLink = before ?? GENESIS;
  const frames = rows.map((row) => {
    const { seq, at, writer, events, hash: stored } = row;
    const missing = findMissingRecord(row);
    if (missing !== null) throw damaged(session, seq, `follows permission record ${missing.row}, which ${missing.why}`);
    const text = textOf(events, seq, session);
    const frame: Frame = { session, seq, at, writer, events: text, prev, hash: stored };
    prev = frame.hash;
    return frame;
  });
  const first = frames[0];
  if (first !== undefined && first.seq > fromSeq && isDescending(frames)) throw missing(session, first.seq - 1);
  verifyLoaded({ session, fromSeq, frames, before, head }, hash);
  return stampVerified(frames, hash);
}

/** The fault of a session without frames: it was pruned if a record says so, otherwise they were deleted. */
function missingFrames(statements: Statements, head: StoredSession): Fault {
  const { session_id } = head;
  if (recordedPrunings(statements).has(session_id)) return sessionPruned(head);
  const message = `session ${session_id}: its frames are missing, and no record says that they were pruned`;
  return new Fault('store_corrupt', message, { path: '/frames/1' });
}

type StoredFrame = Pick<Frame, 'seq' | 'at' | 'writer' | 'hash'> & { readonly events: string | Uint8Array };

/** Reads one row instead of the full chain, because a listing needs the first frame of every session it shows. */
export function readFirst(statements: Statements, hash: Hash, session: string): Frame | null {
  const head = statements.session.get(session) as StoredSession | undefined;
  if (head === undefined) return null;
  if (isPruned(head)) throw missingFrames(statements, head);
  const stored = statements.first.get(head.sid) as StoredFrame | undefined;
  if (stored === undefined) throw damaged(session, 1, 'is missing');
  const events = textOf(stored.events, 1, session);
  return verifyFirst(Object.freeze({ session, ...stored, events, prev: GENESIS }), hash);
}

/** Whether the frames are consecutive; if their start is wrong, the frame before them is missing. */
const isDescending = (frames: readonly Frame[]): boolean =>
  frames.every(({ seq }, place) => place === 0 || seq === (frames[place - 1]?.seq ?? 0) + 1);

const missing = (session: string, seq: number): Fault => damaged(session, seq, 'is missing or out of order');

const damaged = (session: string, seq: number, why: string, cause?: unknown): Fault =>
  new Fault('store_corrupt', `frame ${seq} of session ${session}: ${why}`, { path: `/frames/${seq}`, cause });

/** Throws `store_corrupt` for compressed bytes that were altered and cannot be unpacked. */
function textOf(stored: string | Uint8Array, seq: number, session: string): string {
  try {
    return unpackText(stored);
  } catch (cause) {
    throw damaged(session, seq, 'what is stored cannot be unpacked', cause);
  }
}

export function sessionRow(statements: Statements, session: string): StoredSession | undefined {
  return one<StoredSession>(statements.session, session);
}

/** The sessions of a thread, in the order in which they began. */
export const queryThreadSessions = (statements: Statements, tenant: string, thread: string): readonly SessionRow[] =>
  allRows<SessionRow>(statements.threadSessions, [tenant, thread]);

/** Reads the frames at and before a seq, backwards from the head. */
export function readPlace(statements: Statements, session: StoredSession | null, seq: number): AppendPlace {
  if (session === null) return { there: null, before: null, session: null };
  const rows = statements.frames.all(session.last_row, seq - 1) as unknown as (StoredFrame & AppendPlace['there'])[];
  const at = (place: number): AppendPlace['there'] => rows.find((row) => row.seq === place) ?? null;
  return { there: at(seq), before: at(seq - 1), session };
}

interface StoredExtras {
  readonly row: number;
  readonly notes: string;
  readonly texts: string;
}

/** Finds a text by its address: among the shared blobs, then in the session's extras, then in all extras. */
export function findText(
  statements: Statements,
  address: Address,
  session: Pick<StoredSession, 'last_row'> | null,
): string | undefined {
  const shared = sharedText(statements, address);
  if (shared !== undefined) return shared;
  const near =
    session === null
      ? undefined
      : one<StoredExtras>(statements.extrasOf, session.last_row, 0, JSON.stringify(address), 1);
  const found = near ?? one<StoredExtras>(statements.extrasWith, JSON.stringify(address));
  return found === undefined ? undefined : textFrom(statements, found, address);
}

/** The text of a shared blob; undefined if there is none at this address. */
export function sharedText(statements: Statements, address: Address): string | undefined {
  const shared = one<{ readonly text: string | Uint8Array }>(statements.blob, address);
  return shared === undefined ? undefined : unpacked(shared.text);
}

/** Returns a text that cannot match the address if the bytes cannot be unpacked. */
function unpacked(stored: string | Uint8Array): string {
  try {
    return unpackText(stored);
  } catch {
    return '\uFFFD';
  }
}

function textFrom(statements: Statements, { row, notes, texts }: StoredExtras, address: Address): string | undefined {
  return textIn(JSON.parse(notes) as Notes, address, texts, () => eventsAt(statements, row));
}

/** The events of the frame in a row, as stored; empty if the row is missing. */
export const eventsAt = (statements: Statements, row: number): string =>
  unpacked((statements.frame.get(row)?.['events'] ?? '') as string | Uint8Array);

export function readBlob(statements: Statements, hash: Hash, address: Address, session?: string): string {
  const near = session === undefined ? null : (sessionRow(statements, session) ?? null);
  return verifyText(address, findText(statements, address, near), hash);
}

interface FoundCheckpoint extends CheckpointRow {
  readonly extras: StoredExtras;
}

type CheckpointPlace = StoredExtras & { readonly seq: number; readonly session_id: string };

/** Finds a checkpoint by the list of ids, or by the session that its id names. */
export function findCheckpoint(statements: Statements, checkpointId: string): FoundCheckpoint | null {
  const listed = one<CheckpointPlace>(statements.checkpointId, checkpointId);
  if (listed !== undefined) return checkpointIn(listed, checkpointId);
  const [, owner] = /^ck_(.+)_\d+$/.exec(checkpointId) ?? [];
  const session = owner === undefined ? undefined : sessionRow(statements, owner);
  if (session === undefined) return null;
  const quoted = JSON.stringify(checkpointId);
  const found = one<Omit<CheckpointPlace, 'session_id'>>(statements.extrasOf, session.last_row, 0, quoted, 1);
  return found === undefined ? null : checkpointIn({ ...found, session_id: session.session_id }, checkpointId);
}

function checkpointIn({ seq, session_id, ...extras }: CheckpointPlace, checkpoint_id: string): FoundCheckpoint | null {
  const found = checkpointsIn(JSON.parse(extras.notes) as Notes).find(([id]) => id === checkpoint_id);
  return found === undefined ? null : { checkpoint_id, session_id, seq, address: found[1], extras };
}

export function readCheckpoint(statements: Statements, hash: Hash, checkpointId: string): CheckpointText {
  const found = findCheckpoint(statements, checkpointId);
  if (found === null) throw new Fault('blob_missing', `there is no checkpoint ${checkpointId}`);
  const { extras, ...row } = found;
  const near = textFrom(statements, extras, row.address);
  const text = near ?? findText(statements, row.address, sessionRow(statements, row.session_id) ?? null);
  return { row: Object.freeze(row), text: verifyText(row.address, text, hash, 'checkpoint_corrupt') };
}

export function readLatestCheckpoint(statements: Statements, session: string): CheckpointRow | null {
  const head = sessionRow(statements, session);
  if (head === undefined) return null;
  const found = one<StoredExtras & { readonly seq: number }>(statements.extrasOf, head.last_row, 0, '"c":[', 1);
  const last = found === undefined ? undefined : checkpointsIn(JSON.parse(found.notes) as Notes).at(-1);
  if (found === undefined || last === undefined) return null;
  return Object.freeze({ checkpoint_id: last[0], session_id: session, seq: found.seq, address: last[1] });
}

export function readEffects(statements: Statements, session: string): readonly EffectRow[] {
  const head = sessionRow(statements, session);
  return head === undefined ? [] : ledgerOf(session, readNotes(statements, head.last_row, LEDGER_LINES));
}

/** Reads along the session's chain, because a key does not tell which frame holds it. */
export function readEffect(statements: Statements, session: string, key: string): EffectRow | null {
  const head = sessionRow(statements, session);
  if (head === undefined) return null;
  const lines = ledgerOf(session, readNotes(statements, head.last_row, JSON.stringify(key)));
  return lines.find(({ idempotency_key }) => idempotency_key === key) ?? null;
}

function one<Row>(statement: StatementSync, ...key: (string | number)[]): Row | undefined {
  const row = statement.get(...key);
  return row === undefined ? undefined : plainRow<Row>(row);
}
