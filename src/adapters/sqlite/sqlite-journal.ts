import type { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../model/fault/fault.ts';
import type { Hash } from '../../model/json/hash.ts';
import type { StoreWriter } from '../../model/run/store-name.ts';
import { checkAppend } from '../../ports/journal/check-append.ts';
import type { FaultPoints, Journal } from '../../ports/journal/journal.ts';
import type { Driver, Drivers } from '../../ports/journal/scheduler.ts';
import { isValidDriver } from '../../ports/journal/valid-rows.ts';
import type { KeyPair } from '../../ports/keys.ts';
import { commitAppends } from './commit-group.ts';
import { type ConnectionHolder, holdConnection, newSharedLockWait, type SqliteConnection } from './connection.ts';
import { type GroupWriter, groupQueue, type Settle } from './group-queue.ts';
import { intentsIn, type RecentIntents, recentIntents } from './known-sessions.ts';
import { queryGates, querySessions, queryThreads } from './listings.ts';
import { filePath } from './open-database.ts';
import { sqliteKillSwitches } from './permissions/kill-switches.ts';
import { sqliteLabels } from './permissions/labels.ts';
import type { PermissionLog } from './permissions/permission-chain.ts';
import { sqliteStanding } from './permissions/standing.ts';
import {
  queryThreadSessions,
  readBlob,
  readCheckpoint,
  readEffect,
  readEffects,
  readFirst,
  readFrames,
  readLatestCheckpoint,
} from './read.ts';
import { allRows } from './rows.ts';
import { DRIVERS_TABLE } from './schema.ts';
import { readSessionTexts } from './session-texts.ts';
import { toFault } from './sqlite-fault.ts';
import type { ThreadOptions } from './thread/messages.ts';
import { threadedWriter } from './thread/threaded-writer.ts';

interface SqliteJournalOptions {
  /** The file. It is created if missing; its folder is not. */
  readonly path: string;
  readonly hash: Hash;
  /** How long a write waits for a lock of another process. Without a writing thread this blocks the process. */
  readonly busyTimeoutMs?: number;
  /** Signs the frames and the permission records. With it, only permissions that it signed count. */
  readonly anchorKey?: KeyPair;
  /** Runs whose frames are not all signed send no calls. Needs an anchor key. */
  readonly signedFrames?: boolean;
  /** Never writes. Another process may write meanwhile. */
  readonly readOnly?: boolean;
  /** Whether appends are written by the calling thread (`inline`, the default) or by a separate thread. */
  readonly writer?: StoreWriter;
  /** For tests. Not available with a writing thread, because a function cannot be sent to it. */
  readonly faults?: FaultPoints;
}

/** A journal in one file, which processes on one machine can share. Appends are durable when they resolve. */
export function sqliteJournal(options: SqliteJournalOptions): Journal {
  const { path, hash, busyTimeoutMs = 5_000, readOnly = false, anchorKey, signedFrames = false } = options;
  const signing = anchorKey === undefined ? {} : { anchorKey };
  const file = filePath(path, 'a journal that is not kept is the one in memory');
  const spent = newSharedLockWait();
  const holder = holdConnection(file, { busyTimeoutMs, readOnly, spent, ...signing });
  const intended = recentIntents();
  // Opens the file now, so that problems are reported at once.
  holder.get();
  // The log may be removed and created again before the thread opens it.
  const place = holder.place === null ? null : { ...holder.place, log: null };
  const queue = groupQueue(writerFor(options, { file, busyTimeoutMs, spent, place, ...signing }, holder, intended));
  const read = <T>(doing: string, ask: (connection: SqliteConnection) => T): T => {
    try {
      const connection = holder.get();
      connection.lockWait.beforeWait();
      return ask(connection);
    } catch (error) {
      holder.current()?.lockWait.onFailure(error);
      throw toFault(error, `cannot read ${doing} from ${path}`);
    }
  };
  /** Reads or changes permissions. A decision in a file that was replaced would bind no other process. */
  const decide = <T>(doing: string, run: (log: PermissionLog) => T): T =>
    read(doing, ({ permissions }) => {
      holder.assertInPlace();
      const result = run(permissions);
      holder.assertInPlace();
      return result;
    });
  return {
    ...sqliteStanding(decide),
    ...(signedFrames ? signatureCheck(read) : {}),
    drivers: sqliteDrivers((doing, run) => read(doing, ({ db }) => run(db))),
    ...sqliteKillSwitches(decide),
    ...sqliteLabels(decide),
    // Returns the queue's promise directly, which saves one promise per step.
    append: (append) => {
      try {
        checkAppend(append, hash);
        if (readOnly) throw new Fault('store_unavailable', `${path} was opened for reading only`);
        holder.get();
        return queue.add(append);
      } catch (error) {
        return Promise.reject(error);
      }
    },
    load: async (session, fromSeq = 1) =>
      read(`session ${session}`, ({ statements }) => {
        // Loading a session takes it over: another process may have settled the intents cached here.
        intended.drop(session);
        return readFrames(statements, hash, session, fromSeq);
      }),
    first: async (session) => read(`session ${session}`, ({ statements }) => readFirst(statements, hash, session)),
    blob: async (address, session) =>
      read(`blob ${address}`, ({ statements }) => readBlob(statements, hash, address, session)),
    latestCheckpoint: async (session) =>
      read(`session ${session}`, ({ statements }) => readLatestCheckpoint(statements, session)),
    checkpoint: async (id) => read(`checkpoint ${id}`, ({ statements }) => readCheckpoint(statements, hash, id)),
    texts: async (sessions, loaded) => readSessionTexts(read, hash, sessions, loaded),
    list: async (filter) => read('the sessions', ({ db }) => querySessions(db, filter)),
    threads: async (filter) => read('the threads', ({ db }) => queryThreads(db, filter)),
    threadSessions: async (tenant, thread) =>
      read(`thread ${thread}`, ({ statements }) => queryThreadSessions(statements, tenant, thread)),
    gates: async (filter) => read('the gates', ({ db }) => queryGates(db, filter)),
    effects: async (session) => read(`session ${session}`, ({ statements }) => readEffects(statements, session)),
    // Mostly called right after the intent that this process has just stored.
    effect: async (session, key) =>
      read(`effect ${key}`, ({ statements }) => intended.take(session, key) ?? readEffect(statements, session, key)),
    close: async () => {
      queue.flush();
      holder.close();
      await queue.end();
    },
  };
}

/** `ask` runs a query on the connection and converts its errors. */
const signatureCheck = (
  ask: <T>(doing: string, run: (connection: SqliteConnection) => T) => T,
): Pick<Journal, 'assertSigned'> => ({
  assertSigned: async (session) => ask(`session ${session}`, ({ signer }) => signer?.assertSigned(session)),
});

function writerFor(
  { writer = 'inline', faults }: SqliteJournalOptions,
  orders: Omit<ThreadOptions, 'progress'>,
  holder: ConnectionHolder,
  { note }: RecentIntents,
): (settle: Settle) => GroupWriter {
  if (writer === 'inline') return inlineWriter(holder, note, faults);
  if (faults !== undefined)
    throw new Fault('input_invalid', "faults are reached by the writer 'inline' alone; leave writer: 'thread' out");
  return threadedWriter(orders, note);
}

/** Writes on the calling thread, which blocks until the group is on disk. */
const inlineWriter =
  (holder: ConnectionHolder, note: RecentIntents['note'], faults: FaultPoints | undefined) =>
  (settle: Settle): GroupWriter => ({
    takesAtOnce: () => false,
    isFree: () => true,
    write: (group) => {
      const appends = group.map(({ append }) => append);
      const outcomes = commitAppends(holder, appends, faults);
      const known = holder.current()?.known;
      appends.forEach(({ session, frame, projections }, index) => {
        const isAllNew = outcomes[index] === null && known?.isAllNew(frame) === true;
        note(session, isAllNew ? intentsIn(projections.effects) : []);
      });
      settle(group, outcomes);
    },
    end: async () => undefined,
  });

const ANNOUNCE = `
insert into drivers (writer, machine, pid, since, until) values (?, ?, ?, ?, ?)
on conflict do update set until = excluded.until`;

/** A row that was not renewed for this long is deleted. */
const FORGOTTEN_AFTER_MS = 86_400_000;

/** `ask` runs a query or an update on the connection and converts its errors. */
function sqliteDrivers(ask: <T>(doing: string, run: (db: DatabaseSync) => T) => T): Drivers {
  return {
    announce: async ({ writer, machine, pid, since, until }) =>
      ask('who drives', (db) => {
        if (!hasTable(db)) db.exec(DRIVERS_TABLE);
        db.prepare(ANNOUNCE).run(writer, machine, pid, since, until);
        db.prepare('delete from drivers where until < ?').run(until - FORGOTTEN_AFTER_MS);
      }),
    leave: async (writer) =>
      ask('who drives', (db) => {
        if (hasTable(db)) db.prepare('delete from drivers where writer = ?').run(writer);
      }),
    drivers: async () =>
      ask('who drives', (db) => {
        if (!hasTable(db)) return [];
        const all = db.prepare('select writer, machine, pid, since, until from drivers order by since, writer');
        return allRows<Driver>(all, []).filter(isValidDriver);
      }),
  };
}

function hasTable(db: DatabaseSync): boolean {
  return db.prepare("select 1 from sqlite_schema where type = 'table' and name = 'drivers'").get() !== undefined;
}
