import { frameEvents } from '../model/events/frame-events.ts';
import { Fault } from '../model/fault/fault.ts';
import { parse } from '../model/json/parse.ts';
import { printable } from '../model/json/printable.ts';
import { ImportNote } from '../model/record/bundle.ts';
import type { Journal } from '../ports/journal/journal.ts';

/** The checkpoint id of the note that records how a run was imported, such as `imported_run_1`. */
export const importNoteId = (runId: string): string => `imported_${runId}`;

/** The import note of a run; null for a run that was made here. */
export async function importNote(journal: Pick<Journal, 'checkpoint'>, runId: string): Promise<ImportNote | null> {
  try {
    const { text } = await journal.checkpoint(importNoteId(runId));
    return parse(ImportNote, JSON.parse(text), 'store_corrupt');
  } catch (error) {
    if (Fault.is(error) && error.code === 'blob_missing') return null;
    throw error;
  }
}

/** Rejects an imported run: continuing it here would create two versions of it. */
export async function assertNotImported(journal: Pick<Journal, 'checkpoint'>, runId: string): Promise<void> {
  if ((await importNote(journal, runId)) !== null) throw importedFault(runId);
}

const importedFault = (runId: string): Fault =>
  new Fault(
    'state_write_refused',
    `${runId} was imported: it can be read, replayed and forked, but not continued here`,
  );

/** The imported run that opened a gate; null if there is none. Gates of imported runs are not listed. */
export async function importedRunOf(
  journal: Pick<Journal, 'checkpoint' | 'load'>,
  gateId: string,
): Promise<string | null> {
  // A gate id contains the id of its run: `gate_<run>_<number>`.
  const [, runId] = /^gate_(.+)_\d+$/.exec(gateId) ?? [];
  if (runId === undefined || (await importNote(journal, runId)) === null) return null;
  const opened = (await journal.load(runId))
    .flatMap(frameEvents)
    .some((event) => event.type === 'gate_opened' && event.gate_id === gateId);
  return opened ? runId : null;
}

/** The fault for a gate that is not listed: its run was imported, or the gate does not exist. */
export async function gateNotFound(journal: Pick<Journal, 'checkpoint' | 'load'>, gateId: string): Promise<Fault> {
  const runId = await importedRunOf(journal, gateId);
  return runId === null ? new Fault('gate_not_found', `there is no gate ${printable(gateId)}`) : importedFault(runId);
}
