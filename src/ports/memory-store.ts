import type { MemoryEntry } from '../model/memory.ts';

/** How many memories a run is told of at most; the newest first. */
export const RECALL_MAX = 100;

export interface RecallFilter {
  readonly tenant: string;
  readonly now: number;
  /** At most `RECALL_MAX`. */
  readonly limit?: number;
}

/** What a store holds for a run. */
export interface Recalled {
  readonly entries: readonly MemoryEntry[];
  /** What lies among them and is no memory: it lacks a source, a validator, an end, or its shape. */
  readonly broken: readonly { readonly entry_id: string; readonly why: string }[];
}

export interface Quarantine {
  readonly reason: string;
  readonly at: number;
}

/** A memory as an operator sees it. */
export interface MemoryRow {
  readonly entry_id: string;
  /** Null where what is stored is no memory. */
  readonly entry: MemoryEntry | null;
  readonly quarantine: Quarantine | null;
}

/** The stores that come with the package. */
export interface MemoryStores {
  inMemory(): MemoryStore;
  inFile(path: string): MemoryStore;
}

/**
 * What is remembered across runs, tenant by tenant. It is written to after a run, and only with what the promotion gate
 * let through. What it promises is written down as tests in `testing/contracts`.
 */
export interface MemoryStore {
  /**
   * Keeps an entry, durable when it resolves. The same entry again is no fault. `state_write_refused`: there is another
   * one under this id.
   */
  put(entry: MemoryEntry): Promise<void>;
  /** What this tenant remembers, the newest first: nothing that has expired or is in quarantine. */
  recall(filter: RecallFilter): Promise<Recalled>;
  /** Takes an entry out of every recall. It stays where it is, for whoever looks into it. */
  quarantine(tenant: string, entryId: string, quarantine: Quarantine): Promise<void>;
  /** Puts what the trace says in the place of an entry that is in quarantine. `state_write_refused` for any other. */
  restore(entry: MemoryEntry): Promise<void>;
  /** Everything there is of a tenant, expired and quarantined entries too. */
  list(tenant: string): Promise<readonly MemoryRow[]>;
  close(): Promise<void>;
}
