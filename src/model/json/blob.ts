import { Fault } from '../fault/fault.ts';
import { type Address, addressOfText, type Hash } from './hash.ts';
import { Stamp } from './stamp.ts';

/** A text that is stored once under the address of its content. Frames refer to it by that address. */
export interface Blob {
  readonly address: Address;
  readonly text: string;
}

/** Makes a frozen blob, stamped with the hash function, so that `assertBlob` need not hash it again. */
export const toBlob = (text: string, hash: Hash): Blob =>
  Object.freeze(Stamp.put({ address: addressOfText(hash, text), text }, hash));

/** Refuses a text under the address of another text, which would overwrite that text in the store. */
export function assertBlob(blob: Blob, hash: Hash, path: string): void {
  // A lone surrogate hashes and stores as U+FFFD, so the text read back would not be the text written.
  if (!blob.text.isWellFormed()) throw new Fault('input_invalid', `${path}/text: has a lone surrogate`, { path });
  if (Stamp.is(blob, hash) || addressOfText(hash, blob.text) === blob.address) return;
  throw new Fault('input_invalid', `${path}: the text does not have the address ${blob.address}`, { path });
}
