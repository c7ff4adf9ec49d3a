import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../model/fault.ts';
import { type KnownSessions, knownSessions } from './known-sessions.ts';
import { migrate } from './migrations/migrate.ts';
import { openDatabase } from './open-database.ts';
import { createSchema, SCHEMA_VERSION, stateOf } from './schema.ts';
import { toFault } from './sqlite-fault.ts';
import { prepareStatements, type Statements } from './statements.ts';

export interface Connection {
  readonly db: DatabaseSync;
  readonly statements: Statements;
  readonly known: KnownSessions;
}

export function openConnection(file: string, busyTimeoutMs: number): Connection {
  let db: DatabaseSync | null = null;
  try {
    db = openDatabase(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
    // Looked at first: setting the mode of a file that is not ours would be writing to it.
    const state = stateOf(db, file);
    setDurable(db, file);
    if (state === 'empty') createSchema(db, file);
    if (state === 'older') migrate(db, file, SCHEMA_VERSION);
    const statements = prepareStatements(db);
    return { db, statements, known: knownSessions(statements) };
  } catch (error) {
    db?.close();
    const folder = dirname(file);
    if (!existsSync(folder))
      throw new Fault('store_unavailable', `cannot open ${file}: the folder ${folder} does not exist`, {
        cause: error,
      });
    throw toFault(error, `cannot open ${file}`);
  }
}

/** 16 MB of log, four times SQLite's own choice: measured 1.1 to 1.3 times the appends, and no more at 64 MB. */
const LOG_PAGES = 4_000;

/** A commit is acknowledged only after it is on the disk: write-ahead log, and an fsync for every commit. */
function setDurable(db: DatabaseSync, file: string): void {
  const mode = db.prepare('pragma journal_mode = wal').get()?.['journal_mode'];
  if (mode !== 'wal') throw new Fault('store_unavailable', `${file} is on a file system without write-ahead logging`);
  db.exec('pragma synchronous = full');
  // Pages of the log that were written many times are copied back once; more of them between copies, fewer copies.
  db.exec(`pragma wal_autocheckpoint = ${LOG_PAGES}`);
}

/** The one connection of a journal, opened again after it had to be given up. */
export interface ConnectionHolder {
  get(): Connection;
  /** Closes a connection that can no longer be trusted; an open transaction is rolled back by that. */
  drop(): void;
  close(): void;
}

export function holdConnection(file: string, busyTimeoutMs: number): ConnectionHolder {
  let connection: Connection | null = openConnection(file, busyTimeoutMs);
  let isClosed = false;
  const drop = (): void => {
    connection?.db.close();
    connection = null;
  };
  return {
    get: () => {
      if (isClosed) throw new Fault('store_unavailable', `the journal ${file} has been closed`);
      connection ??= openConnection(file, busyTimeoutMs);
      return connection;
    },
    drop,
    close: () => {
      isClosed = true;
      drop();
    },
  };
}
