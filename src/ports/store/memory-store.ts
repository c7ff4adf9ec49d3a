import type { MemoryEntry } from '../../model/evidence/memory.ts';

/** The maximum number of memories that a run recalls, newest first. */
export const RECALL_MAX = 100;

interface RecallFilter {
  readonly tenant: string;
  readonly now: number;
  /** At most `RECALL_MAX`. */
  readonly limit?: number;
}

/** The memories of a tenant at the start of a run. */
export interface Recalled {
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
