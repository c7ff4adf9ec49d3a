import type { StatementSync } from 'node:sqlite';
import { Fault } from '../../model/fault.ts';
import { type Frame, type FrameLink, GENESIS } from '../../model/frame.ts';
import type { Address, Hash } from '../../model/hash.ts';
import type { StoredCheckpoint } from '../../ports/journal.ts';
import type { CheckpointRow, EffectRow } from '../../ports/journal-rows.ts';
import type { Place } from '../../ports/journal-rules/place-ruling.ts';
import { verifyLoaded, verifyText } from '../../ports/journal-rules/verify-stored.ts';
import { checkpointsIn, ledgerOf, type Notes, textIn } from './extras.ts';
import type { StoredSession } from './known-sessions.ts';
import { unpackText } from './packed-text.ts';
import { isPruned, sessionPruned } from './pruned.ts';
import { LEDGER_LINES, readNotes } from './read-notes.ts';
import type { Statements } from './statements.ts';

export const SESSION_COLUMNS =
  'session_id, tenant_id, agent, intent, status, node, seq, head_hash, started_at, updated_at, wake_at, terminal_code, last_seen';

/**
 * The head is read first and the frames from it backwards, so that frames another process adds in between are left for
 * the next reading instead of looking like damage.
 */
export function readFrames(statements: Statements, hash: Hash, session: string, fromSeq: number): readonly Frame[] {
  const head = sessionRow(statements, session);
  if (head === undefined || fromSeq > head.seq) return [];
  if (isPruned(head)) throw sessionPruned(head);
  const rows = statements.frames.all(head.last_row, fromSeq - 1) as unknown as StoredFrame[];
  if (rows.length === 0) throw missing(session, head.seq);
  // The frame before the first that is asked for comes along: the first has to continue it.
  const anchor = rows[0]?.seq === fromSeq - 1 ? rows.shift() : undefined;
  const before: FrameLink | undefined = fromSeq === 1 ? GENESIS : anchor?.hash;
  let prev: FrameLink = before ?? GENESIS;
  const frames = rows.map(({ seq, at, writer, events, hash: stored }) => {
    const frame: Frame = Object.freeze({
      session,
      seq,
      at,
      writer,
      events: textOf(events, seq, session),
      prev,
      hash: stored,
    });
    prev = frame.hash;
    return frame;
  });
  const first = frames[0];
  if (first !== undefined && first.seq > fromSeq && isDescending(frames)) throw missing(session, first.seq - 1);
  verifyLoaded({ session, fromSeq, frames, before, head }, hash);
  return frames;
}

interface StoredFrame {
  readonly seq: number;
  readonly at: number;
  readonly writer: string;
  readonly events: string | Uint8Array;
  readonly hash: Address;
}

/** Frames that hang together but for where they begin: the one before them is gone. */
const isDescending = (frames: readonly Frame[]): boolean =>
  frames.every(({ seq }, place) => place === 0 || seq === (frames[place - 1]?.seq ?? 0) + 1);

const missing = (session: string, seq: number): Fault =>
  new Fault('store_corrupt', `frame ${seq} of session ${session}: is missing or out of order`, {
    path: `/frames/${seq}`,
  });

/** Packed bytes that were altered cannot be read at all: that is damage, too. */
function textOf(stored: string | Uint8Array, seq: number, session: string): string {
  try {
    return unpackText(stored);
  } catch (cause) {
    const why = `frame ${seq} of session ${session}: what is stored cannot be unpacked`;
    throw new Fault('store_corrupt', why, { path: `/frames/${seq}`, cause });
  }
}

function sessionRow(statements: Statements, session: string): StoredSession | undefined {
  return one<StoredSession>(statements.session, session);
}

/** What stands at and around a place, found from the head backwards. */
export function readPlace(statements: Statements, session: StoredSession | null, seq: number): Place {
  if (session === null) return { there: null, before: null, session: null };
  const rows = statements.frames.all(session.last_row, seq - 1) as unknown as (StoredFrame & Place['there'])[];
  const at = (place: number): Place['there'] => rows.find((row) => row.seq === place) ?? null;
  return { there: at(seq), before: at(seq - 1), session };
}

interface StoredExtras {
  readonly row: number;
  readonly notes: string;
  readonly texts: string;
}

/** A text by its address: stored for everybody, or beside a frame of the session, or, at last, beside any. */
export function findText(
  statements: Statements,
  address: Address,
  session: Pick<StoredSession, 'last_row'> | null,
): string | undefined {
  const shared = one<{ readonly text: string | Uint8Array }>(statements.blob, address);
  if (shared !== undefined) return unpacked(shared.text);
  const near =
    session === null
      ? undefined
      : one<StoredExtras>(statements.extrasOf, session.last_row, 0, JSON.stringify(address), 1);
  const found = near ?? one<StoredExtras>(statements.extrasWith, JSON.stringify(address));
  return found === undefined ? undefined : textFrom(statements, found, address);
}

/** What cannot be unpacked is no text that could have this address. */
function unpacked(stored: string | Uint8Array): string {
  try {
    return unpackText(stored);
  } catch {
    return '\uFFFD';
  }
}

function textFrom(statements: Statements, { row, notes, texts }: StoredExtras, address: Address): string | undefined {
  const events = (): string => unpacked((statements.frame.get(row)?.['events'] ?? '') as string | Uint8Array);
  return textIn(JSON.parse(notes) as Notes, address, texts, events);
}

export function readBlob(statements: Statements, hash: Hash, address: Address, session?: string): string {
  const near = session === undefined ? null : (sessionRow(statements, session) ?? null);
  return verifyText(address, findText(statements, address, near), hash);
}

interface FoundCheckpoint extends CheckpointRow {
  readonly extras: StoredExtras;
}

type CheckpointPlace = StoredExtras & { readonly seq: number; readonly session_id: string };

/** By the list of ids, or by what the id itself says: whose checkpoint it is. */
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

export function readCheckpoint(statements: Statements, hash: Hash, checkpointId: string): StoredCheckpoint {
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

/** Along the chain of the session whose ledger it is: a key says nothing about where it stands. */
export function readEffect(statements: Statements, session: string, key: string): EffectRow | null {
  const head = sessionRow(statements, session);
  if (head === undefined) return null;
  const lines = ledgerOf(session, readNotes(statements, head.last_row, JSON.stringify(key)));
  return lines.find(({ idempotency_key }) => idempotency_key === key) ?? null;
}

function one<Row>(statement: StatementSync, ...key: (string | number)[]): Row | undefined {
  const row = statement.get(...key);
  return row === undefined ? undefined : plain<Row>(row);
}

/** The columns are named like the fields, and strict tables hold their types: a row is what it says it is. */
export function plain<Row>(row: object): Row {
  return Object.freeze({ ...row }) as Row;
}
