import { Fault, type FaultCode } from '../../model/fault.ts';

/** SQLITE_BUSY. */
const BUSY = 5;
/** SQLITE_FULL. */
const FULL = 13;

/** SQLite's primary result codes that mean something to a caller. Whatever is not here is a bug of ours. */
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

/** Turns whatever `node:sqlite` throws into a Fault that says what was being done and what to do about it. */
export function toFault(error: unknown, doing: string): Fault {
  if (Fault.is(error)) return error;
  const [code, hint] = CODES.get(primaryCode(error)) ?? ['internal', 'unexpected failure'];
  const detail = error instanceof Error ? error.message : String(error);
  return new Fault(code, `${doing}: ${hint} (${detail})`, { cause: error });
}

/** A commit that did not come back well may have reached the disk all the same. */
export function commitFailed(cause: unknown): Fault {
  const detail = cause instanceof Error ? cause.message : String(cause);
  const first = primaryCode(cause) === FULL ? 'make room, then reload' : 'reload';
  return new Fault('store_unknown', `the commit failed (${detail}) and may or may not have been made: ${first}`, {
    cause,
  });
}

/** Another process held the file for as long as the connection waits. */
export const isLocked = (error: unknown): boolean => primaryCode(error) === BUSY;

const primaryCode = (error: unknown): number => resultCode(error) & 0xff;

function resultCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0;
}
