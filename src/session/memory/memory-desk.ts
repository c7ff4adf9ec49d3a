import { Fault } from '../../model/fault.ts';
import type { MemoryEntry } from '../../model/memory.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal.ts';
import type { MemoryRow, MemoryStore } from '../../ports/memory-store.ts';
import { originOf } from './recall.ts';

/** What an operator may do about what is remembered. Nobody writes a memory here. */
export interface MemoryDesk {
  /** Everything there is of a tenant, expired and quarantined entries too. */
  list(tenant: string): Promise<readonly MemoryRow[]>;
  /** Takes an entry out of every recall. */
  quarantine(tenant: string, entryId: string, reason: string): Promise<void>;
  /** Puts what the trace of its run says in the place of an entry; null where the trace says nothing of it. */
  rebuild(tenant: string, entryId: string): Promise<MemoryEntry | null>;
}

export interface MemoryDeskRoom {
  readonly store: MemoryStore | undefined;
  readonly journal: Journal;
  readonly clock: Clock;
}

export function memoryDesk({ store, journal, clock }: MemoryDeskRoom): MemoryDesk {
  const open = (): MemoryStore => {
    if (store !== undefined) return store;
    throw new Fault('input_missing', 'this agent remembers nothing: give world.memory', { path: '/world/memory' });
  };
  return {
    list: async (tenant) => await open().list(tenant),
    quarantine: async (tenant, entryId, reason) =>
      await open().quarantine(tenant, entryId, { reason, at: clock.nowMs() }),
    rebuild: async (tenant, entryId) => {
      const row = (await open().list(tenant)).find(({ entry_id }) => entry_id === entryId);
      if (row?.entry == null) return null;
      const origin = await originOf({ store: open(), journal }, row.entry);
      const entry = origin.kind === 'differs' ? origin.entry : origin.kind === 'agrees' ? row.entry : null;
      if (entry === null) return null;
      await open().quarantine(tenant, entryId, { reason: 'rebuilt', at: clock.nowMs() });
      await open().restore(entry);
      return entry;
    },
  };
}
