import { keysIn, type Notes } from './extras.ts';
import type { Statements } from './statements.ts';

type Walking = Pick<Statements, 'extrasOf'>;

const ALL = 2 ** 31;

/** What stands beside the frames of a session and holds this text, from the row of its newest frame on; oldest first. */
export function readNotes({ extrasOf }: Walking, lastRow: number, holding: string): readonly Notes[] {
  return extrasOf
    .all(lastRow, 0, holding, ALL)
    .map(({ notes }) => JSON.parse(String(notes)) as Notes)
    .reverse();
}

/** What every line of a session's ledger holds, and nothing but such lines. */
export const LEDGER_LINES = '"e":[';

/** Every key that a session ever had in its ledger. */
export function readKeys(statements: Walking, lastRow: number): readonly string[] {
  return readNotes(statements, lastRow, LEDGER_LINES).flatMap(keysIn);
}
