import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../model/fault/fault.ts';
import type { KeyPair } from '../../ports/keys.ts';
import { type KnownSessions, knownSessions } from './known-sessions.ts';
import { migrate } from './migrate.ts';
import { openDatabase, useWriteAheadLog } from './open-database.ts';
import { anchorSigner } from './permissions/anchor-signer.ts';
import {
  type FrameSignature,
  type FrameSigner,
  findMissingRecord,
  frameSigner,
} from './permissions/frame-signatures.ts';
import { chainBroken, nameStore, type PermissionLog, permissionLog } from './permissions/permission-chain.ts';
import { fileStatus } from './private-file.ts';
import { createSchema, type FileState, SCHEMA_VERSION, stateOf, TABLE_NAMES } from './schema.ts';
import { isLocked, toFault } from './sqlite-fault.ts';
import { prepareStatements, type Statements } from './statements.ts';

export interface SqliteConnection {
  readonly db: DatabaseSync;
  readonly statements: Statements;
  readonly known: KnownSessions;
  readonly lockWait: LockWait;
  readonly permissions: PermissionLog;
  /** Null if the store has no anchor key. */
  readonly signer: FrameSigner | null;
}

interface OpenOptions {
  readonly busyTimeoutMs: number;
  /** Writes nothing, not even a table. Another process may write meanwhile. */
  readonly readOnly?: boolean;
  /** Shared by the connections of one journal, so that one lock wait shortens the waits of the others. */
  readonly spent?: SharedLockWait;
  /** Signs frames and permission records; only permissions with its signature count. */
  readonly anchorKey?: KeyPair;
}

export function openSqliteConnection(file: string, options: OpenOptions): SqliteConnection {
  const { busyTimeoutMs, readOnly = false, spent = newSharedLockWait(), anchorKey = null } = options;
  let db: DatabaseSync | null = null;
  try {
    db = openDatabase(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true, readOnly });
    // Checked first, because setting the mode would already write to a file that may not be a journal.
    const state = stateOf(db, file);
    if (readOnly) assertReady(state, file);
    else {
      setDurable(db, file, busyTimeoutMs);
      if (state === 'empty') createSchema(db, file);
      if (state === 'older') migrate(db, file, SCHEMA_VERSION);
    }
    assertSound(db, file);
    const statements = prepareStatements(db);
    const key = anchorKey === null ? null : anchorSigner(anchorKey);
    // Tools that only read name each problem themselves.
    const broken = readOnly ? null : findBrokenChain(statements);
    if (!readOnly) nameStore(db, statements, key);
    return {
      db,
      statements,
      known: knownSessions(statements),
      lockWait: lockWaitOf(db, busyTimeoutMs, spent),
      permissions: permissionLog(db, statements, key, broken),
      signer: key === null ? null : frameSigner(statements, key),
    };
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

/** Rejects a file that a read-only connection would have to create or migrate. */
function assertReady(state: FileState, file: string): void {
  if (state === 'empty') throw new Fault('store_unavailable', `${file} is empty: nothing was ever written to it`);
  if (state === 'older')
    throw new Fault(
      'store_version_unsupported',
      `${file} has an older format: open it once for writing, which takes it forward`,
    );
}

/**
 * Checks that are cheap for any file size: all tables exist, and the newest frame belongs to a session that knows it.
 * Other data is verified when it is read, and all of it by `checkStore`.
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

/** The fault of a store that lacks the permission record which its newest frame follows, such as a kill switch. */
function findBrokenChain({ newestFrame }: Statements): Fault | null {
  const newest = newestFrame.get() as FrameSignature | undefined;
  const missing = newest === undefined ? null : findMissingRecord(newest);
  return missing === null ? null : chainBroken(missing.row, missing.why);
}

/** 16 MB of log, four times SQLite's default: measured 1.1 to 1.3 times the appends, and no more at 64 MB. */
const LOG_PAGES = 4_000;

/** Makes every commit durable before it is acknowledged: a write-ahead log, and an fsync per commit. */
function setDurable(db: DatabaseSync, file: string, busyTimeoutMs: number): void {
  const mode = useWriteAheadLog(db, busyTimeoutMs);
  if (mode !== 'wal') throw new Fault('store_unavailable', `${file} is on a file system without write-ahead logging`);
  db.exec('pragma synchronous = full');
  // A log page that was written many times is copied back once, so a longer log means fewer copies.
  db.exec(`pragma wal_autocheckpoint = ${LOG_PAGES}`);
}

/** The single connection of a journal, opened on demand and reopened after a drop. */
export interface ConnectionHolder {
  readonly file: string;
  get(): SqliteConnection;
  /** Returns the connection if it is open. */
  current(): SqliteConnection | null;
  /**
   * Throws `store_replaced` if the path no longer names the open file or its log, from then on for ever: what is written
   * to a deleted file is lost, and another file knows nothing of the kill switches and the effects of this one.
   */
  assertInPlace(): void;
  /** The files that it opened; null before it has opened them. */
  readonly place: FilePlace | null;
  /** Closes a connection that is no longer reliable. This rolls back an open transaction. */
  drop(): void;
  close(): void;
}

/** The files behind the path of a store and behind its log. A file keeps its number while it is open. */
export interface FilePlace {
  readonly main: string;
  readonly log: string | null;
}

function placeOf(file: string): FilePlace | null {
  const main = fileNumber(file);
  return main === null ? null : { main, log: fileNumber(`${file}-wal`) };
}

function fileNumber(path: string): string | null {
  const found = fileStatus(path);
  return found === null ? null : `${found.dev}:${found.ino}`;
}

function storeReplaced(file: string): Fault {
  const fix = 'put the file back, check it with ambit store check, and start the process again';
  return new Fault('store_replaced', `${file} or its log was deleted or replaced while it was open: ${fix}`);
}

export function holdConnection(
  file: string,
  { place: opened = null, ...options }: OpenOptions & { readonly place?: FilePlace | null },
): ConnectionHolder {
  let connection: SqliteConnection | null = null;
  let isClosed = false;
  let place: FilePlace | null = opened;
  let replaced: Fault | null = null;
  const drop = (): void => {
    connection?.db.close();
    connection = null;
    // The last connection that closes the file removes its log.
    if (place !== null) place = { ...place, log: null };
  };
  const assertInPlace = (): void => {
    if (place === null) return;
    const now = replaced === null ? placeOf(file) : null;
    // Only an open connection keeps the log: without one here, another connection may have removed it when it closed.
    const isLogKept = connection !== null && place.log !== null;
    if (now === null || now.main !== place.main || (isLogKept && now.log !== place.log)) {
      replaced ??= storeReplaced(file);
      throw replaced;
    }
    place = now;
  };
  return {
    file,
    get: () => {
      if (isClosed) throw new Fault('store_unavailable', `the journal ${file} has been closed`);
      if (connection === null) {
        assertInPlace();
        connection = openSqliteConnection(file, options);
        place ??= placeOf(file);
      }
      return connection;
    },
    assertInPlace,
    get place() {
      return place;
    },
    current: () => connection,
    drop,
    close: () => {
      isClosed = true;
      drop();
    },
  };
}

/**
 * The time a connection waits for a lock that another process holds. After a failed wait the caller tries other writes,
 * such as ending the run or renewing its lease; these wait only briefly while the lock is still held.
 */
interface LockWait {
  beforeWait(): void;
  /** Called after a success: the lock is free again. */
  onSuccess(): void;
  /** Called after a failure. If the lock was the cause, the next wait is short. */
  onFailure(error: unknown): void;
}

/** The time of the last full wait that failed, in monotonic milliseconds, or 0. Shared by a journal's connections. */
export type SharedLockWait = BigInt64Array<SharedArrayBuffer>;

export const newSharedLockWait = (): SharedLockWait =>
  new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT));

/** Long enough for another process to finish a commit. */
const SHORT_MS = 50;

export function lockWaitOf(db: DatabaseSync, busyTimeoutMs: number, spent: SharedLockWait): LockWait {
  let waiting = busyTimeoutMs;
  const wait = (ms: number): void => {
    if (ms === waiting) return;
    waiting = ms;
    db.exec(`pragma busy_timeout = ${ms}`);
  };
  const regain = (): void => {
    Atomics.store(spent, 0, 0n);
    wait(busyTimeoutMs);
  };
  const waitBriefly = (): void => wait(Math.min(SHORT_MS, busyTimeoutMs));
  return {
    onSuccess: regain,
    beforeWait: () => {
      const since = Atomics.load(spent, 0);
      // Counted from the last full wait, so that short waits do not delay the next full one.
      if (since === 0n || nowMs() - since >= busyTimeoutMs) regain();
      else waitBriefly();
    },
    onFailure: (error) => {
      if (!isLocked(error)) return;
      Atomics.compareExchange(spent, 0, 0n, nowMs());
      waitBriefly();
    },
  };
}

/** Monotonic milliseconds, the same in every thread. */
const nowMs = (): bigint => process.hrtime.bigint() / 1_000_000n;
