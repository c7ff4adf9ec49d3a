import { resolve } from 'node:path';
import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { Fault } from '../../model/fault/fault.ts';
import { createPrivate, warnIfReadable } from './private-file.ts';
import { isLocked, toFault } from './sqlite-fault.ts';

/**
 * Opens a file and loads `node:sqlite` only then, so that the rest of the package can be imported on a Node.js without
 * it. Opening a file there gives a message that says what to do. Only the owner can read a file that this creates.
 */
export function openDatabase(file: string, options: DatabaseSyncOptions): DatabaseSync {
  const { DatabaseSync } = builtin();
  if (options.readOnly === true) warnIfReadable(file);
  else if (file !== ':memory:') createPrivate(file);
  return new DatabaseSync(file, options);
}

type Load = (name: 'node:sqlite') => typeof import('node:sqlite') | undefined;

/** `load` returns a built-in module of this Node.js. */
export function builtin(load: Load | undefined = process.getBuiltinModule): typeof import('node:sqlite') {
  const sqlite = load?.('node:sqlite');
  if (sqlite !== undefined) return sqlite;
  throw new Fault(
    'store_unavailable',
    `a sqlite store needs Node.js 24.15 or newer and this is ${process.version}: npm install --save-dev node@24, or store: 'memory'`,
  );
}

/** Below this length, compressing a text takes longer than writing it. */
const LARGE = 4_096;

/** Returns a text as it is stored: compressed bytes if it is large and shrinks, otherwise the text itself. */
export function packText(text: string): string | Uint8Array {
  if (text.length < LARGE) return text;
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length > TEXT_BYTES_MAX)
    throw new Fault('json_too_large', `a text of ${bytes.length} bytes is larger than the store can hold`);
  const packed = zstdCompressSync(bytes);
  return packed.length < bytes.length * 0.9 ? packed : text;
}

/** The largest text of a store, in bytes. A few bytes of a damaged file could otherwise unpack to all memory. */
const TEXT_BYTES_MAX = 256 * 1024 * 1024;

export function unpackText(stored: string | Uint8Array): string {
  if (typeof stored === 'string') return stored;
  return zstdDecompressSync(stored, { maxOutputLength: TEXT_BYTES_MAX }).toString('utf8');
}

const BUSY_TIMEOUT_MS = 5_000;

/** A database file that is separate from journals, recognized by its application id. */
export interface DatabaseFile {
  readonly applicationId: number;
  readonly version: number;
  readonly tables: string;
  /** Its content, for messages. */
  readonly holds: string;
  /** The version before, and the statements that upgrade a file of it. */
  readonly older?: { readonly version: number; readonly upgrade: string };
}

/** Opens such a file and creates its tables if it is new. Commits are durable before they are acknowledged. */
export function openDatabaseFile(file: string, wanted: DatabaseFile): DatabaseSync {
  const { applicationId, version, tables, holds } = wanted;
  let db: DatabaseSync | null = null;
  try {
    db = openDatabase(file, { timeout: BUSY_TIMEOUT_MS });
    const isNew = isEmpty(db);
    if (!isNew && pragma(db, 'application_id') !== applicationId)
      throw new Fault('input_invalid', `${file} holds something else than ${holds}; name another file`);
    if (!isNew) assertKnownVersion(db, file, wanted);
    useWriteAheadLog(db, BUSY_TIMEOUT_MS);
    db.exec('pragma synchronous = full');
    if (!isNew) return upgraded(db, wanted);
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

function assertKnownVersion(db: DatabaseSync, file: string, { version, older }: DatabaseFile): void {
  const found = pragma(db, 'user_version');
  if (found === version || found === older?.version) return;
  throw new Fault('store_version_unsupported', `${file} was written by another version of ambit`);
}

/** Upgrades a file of the version before, in one transaction. */
function upgraded(db: DatabaseSync, { version, older }: DatabaseFile): DatabaseSync {
  if (older === undefined || pragma(db, 'user_version') === version) return db;
  db.exec('begin immediate');
  // Another process may have upgraded it in the meantime.
  if (pragma(db, 'user_version') === older.version) db.exec(`${older.upgrade}; pragma user_version = ${version}`);
  db.exec('commit');
  return db;
}

/** Runs a query or an update and converts its errors. */
type RunQuery = <T>(doing: string, run: () => T) => T;

export const queryRunner =
  (file: string): RunQuery =>
  (doing, run) => {
    try {
      return run();
    } catch (error) {
      throw toFault(error, `cannot ${doing} in ${file}`);
    }
  };

/**
 * Switches a file to a write-ahead log and returns its mode, which is another one if the file system has no such log.
 * SQLite refuses the switch at once while another process creates tables, so this waits for the write lock and tries again.
 */
export function useWriteAheadLog(db: DatabaseSync, busyTimeoutMs: number): unknown {
  const until = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      return db.prepare('pragma journal_mode = wal').get()?.['journal_mode'];
    } catch (error) {
      if (!isLocked(error) || performance.now() > until) throw error;
      db.exec('begin immediate');
      db.exec('rollback');
    }
  }
}

export const isEmpty = (db: DatabaseSync): boolean =>
  db.prepare('select 1 from sqlite_schema limit 1').get() === undefined;

/** Reads a pragma that is a number. */
export function pragma(db: DatabaseSync, name: string): number {
  return Number(db.prepare(`pragma ${name}`).get()?.[name]);
}

/**
 * Makes the path absolute, so that a later `chdir` does not change it. Rejects `:memory:` and URIs; `instead` tells
 * the caller what to use in their place.
 */
export function filePath(path: string, instead: string): string {
  if (path === '' || path === ':memory:' || path.startsWith('file:') || path.includes('\0'))
    throw new Fault('input_invalid', `"${path}" does not name a file; ${instead}`);
  return resolve(path);
}
