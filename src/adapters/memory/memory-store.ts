import { type MemoryStore, RECALL_MAX } from '../../ports/store/memory-store.ts';
import {
  anotherEntry,
  checkNewEntry,
  entryText,
  notInQuarantine,
  recallEntries,
  type StoredEntry,
  toMemoryRow,
} from '../../ports/store/stored-memory.ts';

/** The stored entries, as text, so that every reader gets its own copy. */
export interface MemoryTable {
  readonly rows: Map<string, StoredMemory>;
}

export interface StoredMemory extends StoredEntry {
  readonly tenant: string;
}

export const memoryTable = (): MemoryTable => ({ rows: new Map() });

/** A memory store that lasts as long as the process. Stores on the same shelf share their entries. */
export function memoryStore(shelf: MemoryTable = memoryTable()): MemoryStore {
  const { rows } = shelf;
  const keyOf = (tenant: string, entryId: string): string => `${tenant}\n${entryId}`;
  const rowsOf = (tenant: string): readonly StoredMemory[] => [...rows.values()].filter((row) => row.tenant === tenant);
  return {
    put: async (input) => {
      const entry = checkNewEntry(input);
      const key = keyOf(entry.tenant_id, entry.entry_id);
      const known = rows.get(key);
      const text = entryText(entry);
      if (known?.text === text) return;
      if (known !== undefined) throw anotherEntry(entry.entry_id);
      rows.set(key, { tenant: entry.tenant_id, entry_id: entry.entry_id, text, quarantine: null });
    },
    recall: async ({ tenant, now, limit = RECALL_MAX }) => {
      const { entries, broken } = recallEntries(
        rowsOf(tenant).filter(({ quarantine }) => quarantine === null),
        now,
      );
      const newest = entries.toSorted((a, b) => b.promoted_at - a.promoted_at || (a.entry_id < b.entry_id ? -1 : 1));
      return { entries: newest.slice(0, Math.min(limit, RECALL_MAX)), broken };
    },
    quarantine: async (tenant, entryId, quarantine) => {
      const row = rows.get(keyOf(tenant, entryId));
      if (row !== undefined && row.quarantine === null) rows.set(keyOf(tenant, entryId), { ...row, quarantine });
    },
    restore: async (input) => {
      const entry = checkNewEntry(input);
      const key = keyOf(entry.tenant_id, entry.entry_id);
      const row = rows.get(key);
      if (row?.quarantine == null) throw notInQuarantine(entry.entry_id);
      rows.set(key, { ...row, text: entryText(entry), quarantine: null });
    },
    list: async (tenant) => rowsOf(tenant).map(toMemoryRow),
    close: async () => undefined,
  };
}
