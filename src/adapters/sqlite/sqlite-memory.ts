import { type MemoryStore, type Quarantine, RECALL_MAX } from '../../ports/store/memory-store.ts';
import {
  anotherEntry,
  checkNewEntry,
  entryText,
  notInQuarantine,
  recallEntries,
  type StoredEntry,
  toMemoryRow,
} from '../../ports/store/stored-memory.ts';
import { type DatabaseFile, filePath, openDatabaseFile, queryRunner } from './open-database.ts';

const TABLES = `
create table memories (
  tenant_id text not null,
  entry_id text not null,
  promoted_at integer not null,
  expires_at integer not null,
  entry_json text not null,
  quarantine_json text,
  primary key (tenant_id, entry_id)
) strict, without rowid;
create index memories_in_force on memories (tenant_id, promoted_at) where quarantine_json is null;
`;

/** "ambm" in ASCII. */
const MEMORIES: DatabaseFile = { applicationId: 0x61_6d_62_6d, version: 1, tables: TABLES, holds: 'memories' };

interface Stored {
  readonly entry_id: string;
  readonly entry_json: string;
  readonly quarantine_json: string | null;
}

/** A memory store in one SQLite file. Writes are durable when they resolve. */
export function sqliteMemory(path: string): MemoryStore {
  const file = filePath(path, 'memories that are not kept are those in memory');
  const db = openDatabaseFile(file, MEMORIES);
  const ask = queryRunner(file);
  const one = 'select entry_id, entry_json, quarantine_json from memories where tenant_id = ? and entry_id = ?';
  const find = (tenant: string, id: string): Stored | undefined =>
    db.prepare(one).get(tenant, id) as unknown as Stored | undefined;
  return {
    put: async (input) => {
      const entry = checkNewEntry(input);
      const { tenant_id, entry_id, promoted_at, expires_at } = entry;
      const text = entryText(entry);
      ask('remember', () => {
        const insert = 'insert or ignore into memories values (?, ?, ?, ?, ?, null)';
        db.prepare(insert).run(tenant_id, entry_id, promoted_at, expires_at, text);
        if (find(tenant_id, entry_id)?.entry_json !== text) throw anotherEntry(entry_id);
      });
    },
    recall: async ({ tenant, now, limit = RECALL_MAX }) =>
      ask('look memories up', () => {
        const rows = db
          .prepare(
            'select entry_id, entry_json, quarantine_json from memories where tenant_id = ? and quarantine_json is null and expires_at > ? order by promoted_at desc, entry_id limit ?',
          )
          .all(tenant, now, Math.min(limit, RECALL_MAX)) as unknown as readonly Stored[];
        return recallEntries(rows.map(toStored), now);
      }),
    quarantine: async (tenant, entryId, quarantine) =>
      ask('quarantine', () => {
        const close =
          'update memories set quarantine_json = ? where tenant_id = ? and entry_id = ? and quarantine_json is null';
        db.prepare(close).run(JSON.stringify(quarantine), tenant, entryId);
      }),
    restore: async (input) => {
      const entry = checkNewEntry(input);
      const { tenant_id, entry_id, promoted_at, expires_at } = entry;
      ask('restore', () => {
        const change =
          'update memories set entry_json = ?, promoted_at = ?, expires_at = ?, quarantine_json = null where tenant_id = ? and entry_id = ? and quarantine_json is not null';
        const { changes } = db.prepare(change).run(entryText(entry), promoted_at, expires_at, tenant_id, entry_id);
        if (changes === 0) throw notInQuarantine(entry_id);
      });
    },
    list: async (tenant) =>
      ask('list memories', () => {
        const all =
          'select entry_id, entry_json, quarantine_json from memories where tenant_id = ? order by promoted_at, entry_id';
        return (db.prepare(all).all(tenant) as unknown as readonly Stored[]).map((row) => toMemoryRow(toStored(row)));
      }),
    close: async () => {
      if (db.isOpen) db.close();
    },
  };
}

const toStored = ({ entry_id, entry_json: text, quarantine_json }: Stored): StoredEntry => ({
  entry_id,
  text,
  quarantine: quarantine_json === null ? null : (JSON.parse(quarantine_json) as Quarantine),
});
