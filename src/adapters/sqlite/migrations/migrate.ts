import type { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../../model/fault/fault.ts';
import { from3 } from './from-3.ts';

/**
 * Migrates format 4 to 5, which stores the action of a gate, the start time of a session and refused grants. The action
 * of an older gate is only in its packet.
 */
function from4(db: DatabaseSync): void {
  db.exec(`
alter table gates add column action text not null default '';
create index gates_by_action on gates (tenant_id, name, action, status, opened_at);
alter table sessions add column started_at integer not null default 0;
update sessions set started_at = ifnull((select at from frames where frames.row = sessions.sid), updated_at);
create table refused_grants (tenant_id text not null, refused_json text not null) strict;
create index refused_grants_by_tenant on refused_grants (tenant_id);
`);
}

/**
 * Migrates format 5 to 6. Format 5 had an index of all ledger keys, and every call with a side effect wrote to a random
 * page of it. In format 6 a session's ledger is read along the session's chain.
 */
function from5(db: DatabaseSync): void {
  db.exec('drop table effect_keys');
}

/** The migration from each released format to the next. Released formats are never removed. */
const STEPS: ReadonlyMap<number, (db: DatabaseSync) => void> = new Map([
  [3, from3],
  [4, from4],
  [5, from5],
]);

export const OLDEST: number = Math.min(...STEPS.keys());

/**
 * Migrates a file, format by format, in one transaction. A process that dies during it leaves the file unchanged, and a
 * second process that tries at the same time finds the work done.
 */
export function migrate(db: DatabaseSync, file: string, to: number): void {
  // Referenced tables are dropped and recreated; all references are checked before the commit.
  db.exec('pragma foreign_keys = off');
  try {
    db.exec('begin immediate');
    for (let version = versionOf(db); version < to; version += 1) {
      const step = STEPS.get(version);
      if (step === undefined)
        throw new Fault('store_version_unsupported', `${file} has journal format ${version}, which nothing reads`);
      step(db);
      db.exec(`pragma user_version = ${version + 1}`);
    }
    if (db.prepare('pragma foreign_key_check').get() !== undefined)
      throw new Fault('store_corrupt', `${file} refers to rows that it does not have; it was left as it is`);
    db.exec('commit');
  } catch (error) {
    if (db.isTransaction) db.exec('rollback');
    throw error;
  } finally {
    db.exec('pragma foreign_keys = on');
  }
}

const versionOf = (db: DatabaseSync): number => Number(db.prepare('pragma user_version').get()?.['user_version']);
