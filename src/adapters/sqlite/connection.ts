import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../model/fault.ts';
import { type KnownSessions, knownSessions } from './known-sessions.ts';
import { migrate } from './migrations/migrate.ts';
import { openDatabase } from './open-database.ts';
import { type Patience, patienceOf, patient, type SpentSince } from './patience.ts';
import { createSchema, type FileState, SCHEMA_VERSION, stateOf, TABLE_NAMES } from './schema.ts';
import { toFault } from './sqlite-fault.ts';
import { prepareStatements, type Statements } from './statements.ts';

export interface Connection {
  readonly db: DatabaseSync;
  readonly statements: Statements;
  readonly known: KnownSessions;
  readonly patience: Patience;
}

export interface OpenOptions {
  readonly busyTimeoutMs: number;
  /** Nothing is written, not even a table; another process may write meanwhile. */
  readonly readOnly?: boolean;
  /** Where others wait for the same file: what one of them has waited in vain for. */
  readonly spent?: SpentSince;
}

export function openConnection(file: string, options: OpenOptions): Connection {
  const { busyTimeoutMs, readOnly = false, spent = patient() } = options;
  let db: DatabaseSync | null = null;
  try {
    db = openDatabase(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true, readOnly });
    // Looked at first: setting the mode of a file that is not ours would be writing to it.
    const state = stateOf(db, file);
    if (readOnly) assertReady(state, file);
    else {
      setDurable(db, file);
      if (state === 'empty') createSchema(db, file);
      if (state === 'older') migrate(db, file, SCHEMA_VERSION);
    }
    assertSound(db, file);
    const statements = prepareStatements(db);
    return { db, statements, known: knownSessions(statements), patience: patienceOf(db, busyTimeoutMs, spent) };
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

/** Whoever may only read can neither make a journal of a file nor take one forward. */
function assertReady(state: FileState, file: string): void {
  if (state === 'empty') throw new Fault('store_unavailable', `${file} is empty: nothing was ever written to it`);
  if (state === 'older')
    throw new Fault(
      'store_version_unsupported',
      `${file} has an older format: open it once for writing, which takes it forward`,
    );
}

/**
 * As much as can be asked whenever a file is opened, however large it is: its tables are all there, and the newest frame
 * is that of a session which knows of it. Everything else is looked at when it is read, and all of it by a check.
 */
function assertSound(db: DatabaseSync, file: string): void {
  const tables = new Set(
    db
      .prepare("select name from sqlite_schema where type = 'table'")
      .all()
      .map(({ name }) => name),
  );
  const missing = TABLE_NAMES.filter((name) => !tables.has(name));
  if (missing.length > 0)
    throw new Fault('store_corrupt', `${file} lacks the table ${missing.join(', ')}: restore it from a backup`);
  const newest = db
    .prepare('select f.row, s.last_row from frames f left join sessions s using (sid) order by f.row desc limit 1')
    .get();
  if (newest === undefined || Number(newest['last_row'] ?? -1) >= Number(newest['row'])) return;
  throw new Fault('store_corrupt', `${file} has a newest frame that no session ends with: restore it from a backup`);
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

/** The one connection of a journal, opened when it is asked for, and again after it had to be given up. */
export interface ConnectionHolder {
  readonly file: string;
  get(): Connection;
  /** The connection if there is one. */
  current(): Connection | null;
  /** Closes a connection that can no longer be trusted; an open transaction is rolled back by that. */
  drop(): void;
  close(): void;
}

export function holdConnection(file: string, options: OpenOptions): ConnectionHolder {
  let connection: Connection | null = null;
  let isClosed = false;
  const drop = (): void => {
    connection?.db.close();
    connection = null;
  };
  return {
    file,
    get: () => {
      if (isClosed) throw new Fault('store_unavailable', `the journal ${file} has been closed`);
      connection ??= openConnection(file, options);
      return connection;
    },
    current: () => connection,
    drop,
    close: () => {
      isClosed = true;
      drop();
    },
  };
}
