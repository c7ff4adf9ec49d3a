import { resolve } from 'node:path';
import { Fault } from '../../model/fault.ts';
import type { Hash } from '../../model/hash.ts';
import type { StoreWriter } from '../../model/store-name.ts';
import type { FaultPoints } from '../../ports/fault-points.ts';
import type { Journal } from '../../ports/journal.ts';
import { checkAppend } from '../../ports/journal-rules/check-append.ts';
import { type Connection, type ConnectionHolder, holdConnection } from './connection.ts';
import { sqliteDrivers } from './drivers.ts';
import { readFirst } from './first-frame.ts';
import { type GroupWriter, groupQueue, type Settle } from './group-queue.ts';
import { inlineWriter } from './inline-writer.ts';
import { type JustIntended, justIntended } from './just-intended.ts';
import { sqliteKillSwitches } from './kill-switches.ts';
import { listGates, listSessions } from './list.ts';
import { patient } from './patience.ts';
import { readBlob, readCheckpoint, readEffect, readEffects, readFrames, readLatestCheckpoint } from './read.ts';
import { toFault } from './sqlite-fault.ts';
import { sqliteStanding } from './standing.ts';
import type { ThreadOrders } from './thread/messages.ts';
import { threadedWriter } from './thread/threaded-writer.ts';

export interface SqliteJournalOptions {
  /** The file; it is made when it does not exist, its folder is not. */
  readonly path: string;
  readonly hash: Hash;
  /** How long a write waits for another process that holds the file; unless a thread writes, the process stands still. */
  readonly busyTimeoutMs?: number;
  /** Only looks: nothing is ever written, while another process may write. */
  readonly readOnly?: boolean;
  /** Whether appends are stored by whoever makes them, as they are unless it is said, or by a thread. */
  readonly writer?: StoreWriter;
  /** For tests, and not with a thread, which no function can reach. */
  readonly faults?: FaultPoints;
}

/** A journal in one file, durable before it answers, shared by any number of processes of one machine. */
export function sqliteJournal(options: SqliteJournalOptions): Journal {
  const { path, hash, busyTimeoutMs = 5_000, readOnly = false } = options;
  const file = filePath(path);
  const spent = patient();
  const holder = holdConnection(file, { busyTimeoutMs, readOnly, spent });
  const intended = justIntended();
  const queue = groupQueue(writerFor(options, { file, busyTimeoutMs, spent }, holder, intended));
  // Whatever is wrong with the file is said at once.
  holder.get();
  const read = <T>(doing: string, ask: (connection: Connection) => T): T => {
    try {
      const connection = holder.get();
      connection.patience.renew();
      return ask(connection);
    } catch (error) {
      holder.current()?.patience.spend(error);
      throw toFault(error, `cannot read ${doing} from ${path}`);
    }
  };
  return {
    ...sqliteStanding(read),
    drivers: sqliteDrivers((doing, run) => read(doing, ({ db }) => run(db))),
    ...sqliteKillSwitches((doing, run) => read(doing, ({ db }) => run(db))),
    // What the queue promises is handed on as it is: one promise less for every step.
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
        // Whoever reads a session takes it up: others may have driven it since, and settled what was intended here.
        intended.drop(session);
        return readFrames(statements, hash, session, fromSeq);
      }),
    first: async (session) => read(`session ${session}`, ({ statements }) => readFirst(statements, hash, session)),
    blob: async (address) => read(`blob ${address}`, ({ statements }) => readBlob(statements, hash, address)),
    latestCheckpoint: async (session) =>
      read(`session ${session}`, ({ statements }) => readLatestCheckpoint(statements, session)),
    checkpoint: async (id) => read(`checkpoint ${id}`, ({ statements }) => readCheckpoint(statements, hash, id)),
    list: async (filter) => read('the sessions', ({ db }) => listSessions(db, filter)),
    gates: async (filter) => read('the gates', ({ db }) => listGates(db, filter)),
    effects: async (session) => read(`session ${session}`, ({ statements }) => readEffects(statements, session)),
    // Nearly always it is asked for right after the intent, which this process has just stored.
    effect: async (session, key) =>
      read(`effect ${key}`, ({ statements }) => intended.take(session, key) ?? readEffect(statements, session, key)),
    close: async () => {
      queue.flush();
      holder.close();
      await queue.end();
    },
  };
}

function writerFor(
  { writer = 'inline', faults }: SqliteJournalOptions,
  orders: Omit<ThreadOrders, 'progress'>,
  holder: ConnectionHolder,
  { note }: JustIntended,
): (settle: Settle) => GroupWriter {
  if (writer === 'inline') return inlineWriter(holder, note, faults);
  if (faults !== undefined)
    throw new Fault('input_invalid', "faults are reached by the writer 'inline' alone; leave writer: 'thread' out");
  return threadedWriter(orders, note);
}

/** An absolute path never means `:memory:`, a URI, or another file after the process changed its folder. */
function filePath(path: string): string {
  if (path === '' || path === ':memory:' || path.startsWith('file:') || path.includes('\0'))
    throw new Fault('input_invalid', `"${path}" does not name a file; a journal that is not kept is the one in memory`);
  return resolve(path);
}
