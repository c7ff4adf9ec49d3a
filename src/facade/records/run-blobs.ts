import type { Blob } from '../../model/blob.ts';
import type { RunEvent } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import type { Frame } from '../../model/frame.ts';
import type { Address } from '../../model/hash.ts';
import type { Journal } from '../../ports/journal.ts';
import { type Kept, keptByEvents, keptByText } from '../../record/bundle/kept-addresses.ts';

type Blobs = Pick<Journal, 'blob' | 'effects'>;

/** Something that a run has kept beside its frames, or why it could not be read. */
export type KeptBlob = Blob | { readonly address: Address; readonly fault: Fault };

/**
 * Everything that a run has kept beside its frames: what it read, what it showed to people, what models were asked and
 * said, what tools answered, its checkpoints and its record.
 */
export async function blobsOf(
  journal: Blobs,
  frames: readonly Frame[],
  checkpoints: ReadonlyMap<Address, Kept> = new Map(),
): Promise<readonly KeptBlob[]> {
  const found = new Map<Address, Kept>(checkpoints);
  for (const frame of frames) keptByEvents(JSON.parse(frame.events) as RunEvent[], found);
  const [first] = frames;
  for (const { result } of first === undefined ? [] : await journal.effects(first.session)) {
    if (result !== null) found.set(result, 'surely');
  }
  const blobs: KeptBlob[] = [];
  // A map is walked in the order of adding, and what is added on the way is walked as well.
  for (const [address, kept] of found) {
    const read = await readKept(journal, address, kept);
    if (read === null) continue;
    blobs.push(read);
    if ('text' in read) keptByText(read.text, found);
  }
  return blobs;
}

async function readKept(journal: Blobs, address: Address, kept: Kept): Promise<KeptBlob | null> {
  try {
    return { address, text: await journal.blob(address) };
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return kept === 'perhaps' && error.code === 'blob_missing' ? null : { address, fault: error };
  }
}

/** Also what no turn reads again, such as what people were shown: it is part of what a run says happened. */
export async function assertUnaltered(journal: Blobs, frames: readonly Frame[]): Promise<void> {
  for (const kept of await blobsOf(journal, frames)) {
    if ('fault' in kept && kept.fault.code === 'store_corrupt') throw kept.fault;
  }
}
