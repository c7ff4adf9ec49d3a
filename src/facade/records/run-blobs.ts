import type { Blob } from '../../model/blob.ts';
import type { RunEvent } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import type { Frame } from '../../model/frame.ts';
import type { Address } from '../../model/hash.ts';
import type { Json } from '../../model/json.ts';
import type { Journal } from '../../ports/journal.ts';
import { keptAddresses } from '../../record/bundle/kept-addresses.ts';

type Blobs = Pick<Journal, 'blob' | 'effects'>;

/** Something that a run has kept beside its frames, or why it could not be read. */
export type KeptBlob = Blob | { readonly address: Address; readonly fault: Fault };

/**
 * Everything that a run has kept beside its frames: what it read, what it showed to people, what models were asked and
 * said, what tools answered, its checkpoints and its record. An address under which there is nothing is that of
 * something that was hashed and never kept, such as a pin.
 */
export async function blobsOf(
  journal: Blobs,
  frames: readonly Frame[],
  others: readonly Address[],
): Promise<readonly KeptBlob[]> {
  const [first] = frames;
  const found = new Set<Address>(others);
  for (const frame of frames) keptAddresses(JSON.parse(frame.events) as RunEvent[] as unknown as Json, found);
  for (const { result } of first === undefined ? [] : await journal.effects(first.session)) {
    if (result !== null) found.add(result);
  }
  const blobs: KeptBlob[] = [];
  // A set is walked in the order of adding, and what is added on the way is walked as well.
  for (const address of found) {
    const kept = await readKept(journal, address);
    if (kept === null) continue;
    blobs.push(kept);
    if ('text' in kept) followInto(kept.text, found);
  }
  return blobs;
}

async function readKept(journal: Blobs, address: Address): Promise<KeptBlob | null> {
  try {
    return { address, text: await journal.blob(address) };
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return error.code === 'blob_missing' ? null : { address, fault: error };
  }
}

/** What a run was told names what that was compiled from. Anything that is not JSON names nothing. */
function followInto(text: string, found: Set<Address>): void {
  try {
    keptAddresses(JSON.parse(text) as Json, found);
  } catch {
    // A prompt, or an answer of a model, in its own words.
  }
}
