import { ImportNote } from '../model/bundle.ts';
import type { RunEvent } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import { parse } from '../model/parse.ts';
import { printable } from '../model/printable.ts';
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
  if ((await importNote(journal, runId)) !== null) throw madeElsewhere(runId);
}

const madeElsewhere = (runId: string): Fault =>
  new Fault(
    'state_write_refused',
    `${runId} was imported: it can be looked at, replayed and forked, and nobody goes on with it here`,
  );

/** The imported run that opened a gate, which asks nobody here and so is in no list; null where none did. */
export async function importedRunOf(
  journal: Pick<Journal, 'checkpoint' | 'load'>,
  gateId: string,
): Promise<string | null> {
  // A gate is called after the run that opened it.
  const [, runId] = /^gate_(.+)_\d+$/.exec(gateId) ?? [];
  if (runId === undefined || (await importNote(journal, runId)) === null) return null;
  const opened = (await journal.load(runId))
    .flatMap(({ events }) => JSON.parse(events) as readonly RunEvent[])
    .some((event) => event.type === 'gate_opened' && event.gate_id === gateId);
  return opened ? runId : null;
}

/** Why a gate that is in no list cannot be asked about: its run was made elsewhere, or there never was such a gate. */
export async function gateNotHere(journal: Pick<Journal, 'checkpoint' | 'load'>, gateId: string): Promise<Fault> {
  const runId = await importedRunOf(journal, gateId);
  return runId === null ? new Fault('gate_not_found', `there is no gate ${printable(gateId)}`) : madeElsewhere(runId);
}
