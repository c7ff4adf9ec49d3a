import { Fault, type FaultCode } from '../../model/fault/fault.ts';
import type { StoredSession } from './known-sessions.ts';
import { isOutOfRange } from './rows.ts';

const BUSY = 5;
const FULL = 13;

/** SQLite's primary result codes that matter to a caller. Any other code is an internal error. */
const CODES: ReadonlyMap<number, readonly [code: FaultCode, hint: string]> = new Map([
  [3, ['store_unavailable', 'access was denied']],
  [BUSY, ['store_unavailable', 'another process keeps it locked: try again when it has finished']],
  [6, ['store_unavailable', 'another connection keeps it locked; try again']],
  [8, ['store_unavailable', 'it cannot be written to: it is open for reading only, or the file or its folder is']],
  [10, ['store_unavailable', 'the disk failed']],
  [11, ['store_corrupt', 'the file is damaged: restore it from a backup']],
  [FULL, ['store_unavailable', 'the disk is full and nothing was stored: make room and try again']],
  [14, ['store_unavailable', 'the file cannot be opened']],
  [18, ['json_too_large', 'a text is larger than the store can hold']],
  [19, ['input_invalid', 'a row lacks a value or has one of the wrong type']],
  [26, ['store_corrupt', 'the file is not a SQLite database, or its header is damaged']],
]);

/** Converts an error of `node:sqlite` to a Fault that says what was being done and how to fix it. */
export function toFault(error: unknown, doing: string): Fault {
  if (Fault.is(error)) return error;
  if (isOutOfRange(error))
    return new Fault('store_corrupt', `${doing}: it holds a number that no append writes`, { cause: error });
  const [code, hint] = CODES.get(primaryCode(error)) ?? ['internal', 'unexpected failure'];
  const detail = error instanceof Error ? error.message : String(error);
  return new Fault(code, `${doing}: ${hint} (${detail})`, { cause: error });
}

/** The fault of a failed commit, which may still have reached the disk. */
export function commitFailed(cause: unknown): Fault {
  const detail = cause instanceof Error ? cause.message : String(cause);
  const first = primaryCode(cause) === FULL ? 'make room, then reload' : 'reload';
  return new Fault('store_unknown', `the commit failed (${detail}) and may or may not have been made: ${first}`, {
    cause,
  });
}

/** Whether another process held the lock for the full busy timeout. */
export const isLocked = (error: unknown): boolean => primaryCode(error) === BUSY;

const primaryCode = (error: unknown): number => resultCode(error) & 0xff;

function resultCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0;
}

/** Marks a pruned session. Rows count from 1, so row 0 never holds a frame. */
export const PRUNED_ROW = 0;

export const isPruned = ({ last_row }: Pick<StoredSession, 'last_row'>): boolean => last_row === PRUNED_ROW;

export function sessionPruned({ session_id, seq, head_hash, terminal_code }: StoredSession): Fault {
  const left = `it ended ${terminal_code} after ${seq} frames, the last of them ${head_hash}`;
  return new Fault('session_pruned', `session ${session_id} was kept as long as its tenant asked for; ${left}`);
}
