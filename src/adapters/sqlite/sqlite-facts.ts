import type { FactsStore, KeptFacts } from '../../ports/store/facts-store.ts';
import { type DatabaseFile, filePath, openDatabaseFile, queryRunner } from './open-database.ts';

const TABLES = `
create table run_facts (
  run_id text primary key,
  head_hash text not null,
  version integer not null,
  text text not null
) strict, without rowid;
`;

/** "ambf" in ASCII. */
const FACTS: DatabaseFile = { applicationId: 0x61_6d_62_66, version: 1, tables: TABLES, holds: 'facts of runs' };

/** Keeps facts of runs in one SQLite file. The file can be deleted; the next report derives the facts again. */
export function sqliteFacts(path: string): FactsStore {
  const file = filePath(path, 'facts that are not kept are those of a store in memory');
  const db = openDatabaseFile(file, FACTS);
  const ask = queryRunner(file);
  return {
    read: async (runIds) =>
      ask('read facts', () => {
        const known = db.prepare(
          'select run_id, head_hash, version, text from run_facts where run_id in (select value from json_each(?))',
        );
        return known.all(JSON.stringify(runIds)) as unknown as readonly KeptFacts[];
      }),
    write: async (facts) =>
      ask('keep facts', () => {
        const insert = db.prepare('insert or replace into run_facts values (?, ?, ?, ?)');
        db.exec('begin immediate');
        try {
          for (const { run_id, head_hash, version, text } of facts) insert.run(run_id, head_hash, version, text);
          db.exec('commit');
        } catch (error) {
          if (db.isTransaction) db.exec('rollback');
          throw error;
        }
      }),
    close: async () => db.close(),
  };
}
