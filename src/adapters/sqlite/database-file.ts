import type { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../model/fault/fault.ts';
import { openDatabase } from './open-database.ts';
import { toFault } from './sqlite-fault.ts';

const BUSY_TIMEOUT_MS = 5_000;

/** A database file that is separate from journals, recognized by its application id. */
export interface DatabaseFile {
  readonly applicationId: number;
  readonly version: number;
  readonly tables: string;
  /** Its content, for messages. */
  readonly holds: string;
}

/** Opens such a file and creates its tables if it is new. Commits are durable before they are acknowledged. */
export function openDatabaseFile(file: string, { applicationId, version, tables, holds }: DatabaseFile): DatabaseSync {
  let db: DatabaseSync | null = null;
  try {
    db = openDatabase(file, { timeout: BUSY_TIMEOUT_MS });
    const isNew = isEmpty(db);
    if (!isNew && pragma(db, 'application_id') !== applicationId)
      throw new Fault('input_invalid', `${file} holds something else than ${holds}; name another file`);
    if (!isNew && pragma(db, 'user_version') !== version)
      throw new Fault('store_version_unsupported', `${file} was written by another version of ambit`);
    db.exec('pragma journal_mode = wal; pragma synchronous = full');
    if (!isNew) return db;
    db.exec('begin immediate');
    // Another process may have created them in the meantime.
    if (isEmpty(db)) {
      db.exec(tables);
      db.exec(`pragma application_id = ${applicationId}; pragma user_version = ${version}`);
    }
    db.exec('commit');
    return db;
  } catch (error) {
    db?.close();
    throw toFault(error, `cannot open ${file}`);
  }
}

/** Runs a query or an update and converts its errors. */
export type RunQuery = <T>(doing: string, run: () => T) => T;

export const queryRunner =
  (file: string): RunQuery =>
  (doing, run) => {
    try {
      return run();
    } catch (error) {
      throw toFault(error, `cannot ${doing} in ${file}`);
    }
  };

const isEmpty = (db: DatabaseSync): boolean => db.prepare('select 1 from sqlite_schema limit 1').get() === undefined;

function pragma(db: DatabaseSync, name: string): number {
  return Number(db.prepare(`pragma ${name}`).get()?.[name]);
}
