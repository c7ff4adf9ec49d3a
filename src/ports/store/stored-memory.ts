import { MemoryEntry } from '../../model/evidence/memory.ts';
import { Fault } from '../../model/fault/fault.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import type { Json } from '../../model/json/json.ts';
import { parse } from '../../model/json/parse.ts';
import { reasonOf } from '../../model/json/printable.ts';
import type { MemoryRow, Quarantine, Recalled } from './memory-store.ts';

/** Validates an entry before it is stored. A new entry must not be quarantined. */
export function checkNewEntry(value: MemoryEntry): MemoryEntry {
  const entry = parse(MemoryEntry, value, 'state_write_refused');
  if (!entry.quarantined) return entry;
  throw new Fault('state_write_refused', `${entry.entry_id} is in quarantine: it is not written`);
}

type ReadEntry = { readonly ok: true; readonly entry: MemoryEntry } | { readonly ok: false; readonly why: string };

/** A memory as it is stored: an entry's text, and its quarantine if it has one. */
export interface StoredEntry {
  readonly entry_id: string;
  readonly text: string;
  readonly quarantine: Quarantine | null;
}

/** Reads stored entries for a run: valid ones in their order, without expired ones, and those that are broken. */
export function recallEntries(stored: readonly Omit<StoredEntry, 'quarantine'>[], now: number): Recalled {
  const held = stored.map(({ entry_id, text }) => ({ entry_id, read: readEntry(text) }));
  const entries = held.flatMap(({ read }) =>
    read.ok && read.entry.expires_at > now && !read.entry.quarantined ? [read.entry] : [],
  );
  return { entries, broken: held.flatMap(({ entry_id, read }) => (read.ok ? [] : [{ entry_id, why: read.why }])) };
}

export function toMemoryRow({ entry_id, text, quarantine }: StoredEntry): MemoryRow {
  const read = readEntry(text);
  return { entry_id, entry: read.ok ? read.entry : null, quarantine };
}

/** Parses a stored entry. The text is untrusted: anyone with access to the store's file may have written it. */
function readEntry(text: string): ReadEntry {
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
