import type { MemoryEntry } from '../../model/evidence/memory.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { MemoryRow, MemoryStore } from '../../ports/store/memory-store.ts';
import { memoryOrigin } from '../../session/perform/recall-memory.ts';

/** An operator's actions on memory. Entries cannot be written here. */
export interface MemoryAdmin {
  /** Every entry of a tenant, including expired and quarantined ones. */
  list(tenant: string): Promise<readonly MemoryRow[]>;
  /** Excludes an entry from every recall. */
  quarantine(tenant: string, entryId: string, reason: string): Promise<void>;
  /** Replaces an entry with the value in the trace of its run. Returns null if the trace does not contain it. */
  rebuild(tenant: string, entryId: string): Promise<MemoryEntry | null>;
}

export interface MemoryAdminDeps {
  readonly store: MemoryStore | undefined;
  readonly journal: Journal;
  readonly clock: Clock;
}

export function createMemoryAdmin({ store, journal, clock }: MemoryAdminDeps): MemoryAdmin {
  const open = (): MemoryStore => {
    if (store !== undefined) return store;
    throw new Fault('input_missing', 'this agent has no memory: set world.memory', { path: '/world/memory' });
  };
  return {
    list: async (tenant) => await open().list(tenant),
    quarantine: async (tenant, entryId, reason) =>
      await open().quarantine(tenant, entryId, { reason, at: clock.nowMs() }),
    rebuild: async (tenant, entryId) => {
      const row = (await open().list(tenant)).find(({ entry_id }) => entry_id === entryId);
      if (row?.entry == null) return null;
      const origin = await memoryOrigin({ store: open(), journal }, row.entry);
      const entry = origin.kind === 'differs' ? origin.entry : origin.kind === 'agrees' ? row.entry : null;
      if (entry === null) return null;
      await open().quarantine(tenant, entryId, { reason: 'rebuilt', at: clock.nowMs() });
      await open().restore(entry);
      return entry;
    },
  };
}
