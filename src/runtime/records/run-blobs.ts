import type { Frame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Blob } from '../../model/json/blob.ts';
import type { Address } from '../../model/json/hash.ts';
import type { Journal, StoredTexts } from '../../ports/journal/journal.ts';
import { type Kept, keptByEvents, keptByText } from '../../record/bundle.ts';

type Blobs = Pick<Journal, 'blob'>;

/** The texts of a run, read at once. A text that they lack is looked up in the whole store. */
export const runBlobs = (journal: Blobs, texts: StoredTexts): Blobs => ({
  blob: async (address) => {
    try {
      return await texts.blob(address);
    } catch (error) {
      if (!Fault.is(error) || error.code !== 'blob_missing') throw error;
      return await journal.blob(address);
    }
  },
});

/** A blob of a run, or the fault that reading it caused. */
export type KeptBlob = Blob | { readonly address: Address; readonly fault: Fault };

/**
 * Every blob of a run: its context, the packets shown to people, model prompts and answers, tool results, checkpoints
 * and its record.
 */
export async function blobsOf(
  journal: Blobs,
  texts: StoredTexts,
  frames: readonly Frame[],
  checkpoints: ReadonlyMap<Address, Kept> = new Map(),
): Promise<readonly KeptBlob[]> {
  const found = new Map<Address, Kept>(checkpoints);
  for (const frame of frames) keptByEvents(frameEvents(frame), found);
  const [first] = frames;
  for (const { result } of first === undefined ? [] : texts.effects(first.session)) {
    if (result !== null) found.set(result, 'surely');
  }
  const blobs: KeptBlob[] = [];
  // A Map is iterated in insertion order and includes entries added during the loop.
  for (const [address, kept] of found) {
    const read = await readKept(journal, texts, address, kept);
    if (read === null) continue;
    blobs.push(read);
    if ('text' in read) keptByText(read.text, found);
  }
  return blobs;
}

/**
 * A blob that must exist is looked up in the whole store if the run and its parents do not have it. A blob that may
 * exist is not, because each such lookup would read the texts of all sessions.
 */
async function readKept(journal: Blobs, texts: StoredTexts, address: Address, kept: Kept): Promise<KeptBlob | null> {
  try {
    return { address, text: await texts.blob(address) };
  } catch (error) {
    if (!Fault.is(error)) throw error;
    if (error.code !== 'blob_missing') return { address, fault: error };
    return kept === 'perhaps' ? null : await readAnywhere(journal, address);
  }
}

async function readAnywhere(journal: Blobs, address: Address): Promise<KeptBlob> {
  try {
    return { address, text: await journal.blob(address) };
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return { address, fault: error };
  }
}

/** The session of a run and the sessions that it was forked from. Their texts also belong to the run. */
export function sessionsOfRun(frames: readonly Frame[]): readonly string[] {
  const parents = frames
    .flatMap(frameEvents)
    .flatMap((event) => (event.type === 'run_forked' ? [event.parent.run_id] : []));
  return [...new Set([...(frames[0] === undefined ? [] : [frames[0].session]), ...parents])];
}

/** Checks every blob against its hash, including those that replay does not read, such as packets shown to people. */
export async function assertUnaltered(journal: Blobs, texts: StoredTexts, frames: readonly Frame[]): Promise<void> {
  for (const kept of await blobsOf(journal, texts, frames)) {
    if ('fault' in kept && kept.fault.code === 'store_corrupt') throw kept.fault;
  }
}
