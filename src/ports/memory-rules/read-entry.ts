import { canonicalize } from '../../model/canonical.ts';
import { Fault } from '../../model/fault.ts';
import type { Json } from '../../model/json.ts';
import { MemoryEntry } from '../../model/memory.ts';
import { parse } from '../../model/parse.ts';
import { reasonOf } from '../../model/printable.ts';

/** What a store takes in: a whole entry that is not in quarantine from its first day. */
export function entryToKeep(value: MemoryEntry): MemoryEntry {
  const entry = parse(MemoryEntry, value, 'state_write_refused');
  if (!entry.quarantined) return entry;
  throw new Fault('state_write_refused', `${entry.entry_id} is in quarantine: it is not written`);
}

export type ReadEntry =
  | { readonly ok: true; readonly entry: MemoryEntry }
  | { readonly ok: false; readonly why: string };

/** What a store holds may have been put there by anybody who can reach its file. */
export function readEntry(text: string): ReadEntry {
  try {
    return { ok: true, entry: parse(MemoryEntry, JSON.parse(text), 'state_write_refused') };
  } catch (error) {
    return { ok: false, why: reasonOf(error) };
  }
}

export const entryText = (entry: MemoryEntry): string => canonicalize(entry as unknown as Json);

export const anotherEntry = (entryId: string): Fault =>
  new Fault('state_write_refused', `there is another memory ${entryId} already`);

export const notInQuarantine = (entryId: string): Fault =>
  new Fault('state_write_refused', `${entryId} is not in quarantine: nothing is put in its place`);
