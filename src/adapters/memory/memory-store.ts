import {
  anotherEntry,
  checkNewEntry,
  entryText,
  type MemoryRow,
  type MemoryStore,
  notInQuarantine,
  type Quarantine,
  RECALL_MAX,
  readEntry,
} from '../../ports/store/memory-store.ts';

/** The stored entries, as text, so that every reader gets its own copy. */
export interface MemoryTable {
  readonly rows: Map<string, StoredMemory>;
}

export interface StoredMemory {
  readonly tenant: string;
  readonly entryId: string;
  readonly text: string;
  readonly quarantine: Quarantine | null;
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
      rows.set(key, { tenant: entry.tenant_id, entryId: entry.entry_id, text, quarantine: null });
    },
    recall: async ({ tenant, now, limit = RECALL_MAX }) => {
      const held = rowsOf(tenant)
        .filter(({ quarantine }) => quarantine === null)
        .map(({ entryId, text }) => ({ entryId, read: readEntry(text) }));
      const entries = held
        .flatMap(({ read }) => (read.ok && read.entry.expires_at > now && !read.entry.quarantined ? [read.entry] : []))
        .toSorted((a, b) => b.promoted_at - a.promoted_at || (a.entry_id < b.entry_id ? -1 : 1));
      const broken = held.flatMap(({ entryId, read }) => (read.ok ? [] : [{ entry_id: entryId, why: read.why }]));
      return { entries: entries.slice(0, Math.min(limit, RECALL_MAX)), broken };
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
    list: async (tenant) => rowsOf(tenant).map(toRow),
    close: async () => undefined,
  };
}

function toRow({ entryId, text, quarantine }: StoredMemory): MemoryRow {
  const read = readEntry(text);
  return { entry_id: entryId, entry: read.ok ? read.entry : null, quarantine };
}
