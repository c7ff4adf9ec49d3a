import { MemoryEntry } from '../../model/evidence/memory.ts';
import { Fault } from '../../model/fault/fault.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import type { Json } from '../../model/json/json.ts';
import { parse } from '../../model/json/parse.ts';
import { reasonOf } from '../../model/json/printable.ts';

/** The maximum number of memories that a run recalls, newest first. */
export const RECALL_MAX = 100;

interface RecallFilter {
  readonly tenant: string;
  readonly now: number;
  /** At most `RECALL_MAX`. */
  readonly limit?: number;
}

/** The memories of a tenant at the start of a run. */
interface Recalled {
  readonly entries: readonly MemoryEntry[];
  /** Stored entries that are not valid memories: without a source, a validator or an expiry, or malformed. */
  readonly broken: readonly { readonly entry_id: string; readonly why: string }[];
}

export interface Quarantine {
  readonly reason: string;
  readonly at: number;
}

/** A memory as an operator sees it. */
export interface MemoryRow {
  readonly entry_id: string;
  /** Null if the stored entry is not a valid memory. */
  readonly entry: MemoryEntry | null;
  readonly quarantine: Quarantine | null;
}

/** The stores that come with the package. */
export interface MemoryStores {
  inMemory(): MemoryStore;
  inFile(path: string): MemoryStore;
}

/**
 * Memories across runs, separate per tenant. A run's memories are written after it ends, and only those that passed the
 * promotion gate. The tests in `testing/contracts` define the store's guarantees.
 */
export interface MemoryStore {
  /** Stores an entry durably. Idempotent for the same entry. `state_write_refused`: another entry has this id. */
  put(entry: MemoryEntry): Promise<void>;
  /** Returns the tenant's memories, newest first, without expired and quarantined ones. */
  recall(filter: RecallFilter): Promise<Recalled>;
  /** Excludes an entry from every recall. The entry is kept for inspection. */
  quarantine(tenant: string, entryId: string, quarantine: Quarantine): Promise<void>;
  /** Replaces an entry with the one from the trace. `state_write_refused`: the entry is not in quarantine. */
  restore(entry: MemoryEntry): Promise<void>;
  /** Returns all entries of a tenant, including expired and quarantined ones. */
  list(tenant: string): Promise<readonly MemoryRow[]>;
  close(): Promise<void>;
}

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
