import { ImportNote } from '../model/bundle.ts';
import { Fault } from '../model/fault.ts';
import { parse } from '../model/parse.ts';
import type { Journal } from '../ports/journal.ts';

/** Under this id, fixed to its content like every checkpoint, a store keeps how a run came into it from elsewhere. */
export const importNoteId = (runId: string): string => `imported_${runId}`;

/** Where a run came from; null for one that was made here. */
export async function importNote(journal: Pick<Journal, 'checkpoint'>, runId: string): Promise<ImportNote | null> {
  try {
    const { text } = await journal.checkpoint(importNoteId(runId));
    return parse(ImportNote, JSON.parse(text), 'store_corrupt');
  } catch (error) {
    if (Fault.is(error) && error.code === 'blob_missing') return null;
    throw error;
  }
}

/** A run that was made elsewhere is driven there: whoever went on with it here would have two of it. */
export async function assertMadeHere(journal: Pick<Journal, 'checkpoint'>, runId: string): Promise<void> {
  if ((await importNote(journal, runId)) === null) return;
  const message = `${runId} was imported: it can be looked at, replayed and forked, and nobody goes on with it here`;
  throw new Fault('state_write_refused', message);
}
