import {
  anotherEntry,
  entryText,
  entryToKeep,
  notInQuarantine,
  readEntry,
} from '../../ports/memory-rules/read-entry.ts';
import { type MemoryRow, type MemoryStore, type Quarantine, RECALL_MAX } from '../../ports/memory-store.ts';

/** What is remembered, as text: whoever reads an entry gets one of their own. */
export interface MemoryShelf {
  readonly rows: Map<string, ShelfRow>;
}

export interface ShelfRow {
  readonly tenant: string;
  readonly entryId: string;
  readonly text: string;
  readonly quarantine: Quarantine | null;
}

export const memoryShelf = (): MemoryShelf => ({ rows: new Map() });

/** Remembers for as long as the process lasts. Several stores on one shelf share what they remember. */
export function memoryStore(shelf: MemoryShelf = memoryShelf()): MemoryStore {
  const { rows } = shelf;
  const keyOf = (tenant: string, entryId: string): string => `${tenant}\n${entryId}`;
  const of = (tenant: string): readonly ShelfRow[] => [...rows.values()].filter((row) => row.tenant === tenant);
  return {
    put: async (given) => {
      const entry = entryToKeep(given);
      const key = keyOf(entry.tenant_id, entry.entry_id);
      const known = rows.get(key);
      const text = entryText(entry);
      if (known?.text === text) return;
      if (known !== undefined) throw anotherEntry(entry.entry_id);
      rows.set(key, { tenant: entry.tenant_id, entryId: entry.entry_id, text, quarantine: null });
    },
    recall: async ({ tenant, now, limit = RECALL_MAX }) => {
      const held = of(tenant)
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
    restore: async (given) => {
      const entry = entryToKeep(given);
      const key = keyOf(entry.tenant_id, entry.entry_id);
      const row = rows.get(key);
      if (row?.quarantine == null) throw notInQuarantine(entry.entry_id);
      rows.set(key, { ...row, text: entryText(entry), quarantine: null });
    },
    list: async (tenant) => of(tenant).map(toRow),
    close: async () => undefined,
  };
}

function toRow({ entryId, text, quarantine }: ShelfRow): MemoryRow {
  const read = readEntry(text);
  return { entry_id: entryId, entry: read.ok ? read.entry : null, quarantine };
}
