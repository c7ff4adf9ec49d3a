import { resolve } from 'node:path';
import { Fault } from '../../model/fault.ts';
import type { Hash } from '../../model/hash.ts';
import type { FaultPoints } from '../../ports/fault-points.ts';
import type { Append, Journal } from '../../ports/journal.ts';
import { checkAppend } from '../../ports/journal-rules/check-append.ts';
import { type AppendOutcome, commitGroup } from './commit-group.ts';
import { type Connection, type ConnectionHolder, holdConnection } from './connection.ts';
import { sqliteDrivers } from './drivers.ts';
import { groupQueue } from './group-queue.ts';
import { sqliteKillSwitches } from './kill-switches.ts';
import { listGates, listSessions } from './list.ts';
import { readBlob, readCheckpoint, readEffect, readEffects, readFrames, readLatestCheckpoint } from './read.ts';
import { toFault } from './sqlite-fault.ts';
import { sqliteStanding } from './standing.ts';

export interface SqliteJournalOptions {
  /** The file; it is made when it does not exist, its folder is not. */
  readonly path: string;
  readonly hash: Hash;
  /** How long a write waits, with the process standing still, for another process that holds the file. */
  readonly busyTimeoutMs?: number;
  /** Only looks: nothing is ever written, while another process may write. */
  readonly readOnly?: boolean;
  readonly faults?: FaultPoints;
}

/** A journal in one file, durable before it answers, shared by any number of processes of one machine. */
export function sqliteJournal(options: SqliteJournalOptions): Journal {
  const { path, hash, busyTimeoutMs = 5_000, readOnly = false, faults } = options;
  const holder = holdConnection(filePath(path), { busyTimeoutMs, readOnly });
  const queue = groupQueue((appends) => commit(holder, appends, faults));
  const read = <T>(doing: string, ask: (connection: Connection) => T): T => {
    try {
      return ask(holder.get());
    } catch (error) {
      throw toFault(error, `cannot read ${doing} from ${path}`);
    }
  };
  return {
    ...sqliteStanding((doing, run) => read(doing, ({ db }) => run(db))),
    drivers: sqliteDrivers((doing, run) => read(doing, ({ db }) => run(db))),
    ...sqliteKillSwitches((doing, run) => read(doing, ({ db }) => run(db))),
    append: async (append) => {
      checkAppend(append, hash);
      if (readOnly) throw new Fault('store_unavailable', `${path} was opened for reading only`);
      holder.get();
      return queue.add(append);
    },
    load: async (session, fromSeq = 1) =>
      read(`session ${session}`, ({ statements }) => readFrames(statements, hash, session, fromSeq)),
    blob: async (address) => read(`blob ${address}`, ({ statements }) => readBlob(statements, hash, address)),
    latestCheckpoint: async (session) =>
      read(`session ${session}`, ({ statements }) => readLatestCheckpoint(statements, session)),
    checkpoint: async (id) => read(`checkpoint ${id}`, ({ statements }) => readCheckpoint(statements, hash, id)),
    list: async (filter) => read('the sessions', ({ db }) => listSessions(db, filter)),
    gates: async (filter) => read('the gates', ({ db }) => listGates(db, filter)),
    effects: async (session) => read(`session ${session}`, ({ statements }) => readEffects(statements, session)),
    effect: async (key) => read(`effect ${key}`, ({ statements, known }) => readEffect(statements, known, key)),
    close: async () => {
      queue.flush();
      holder.close();
    },
  };
}

function commit(
  holder: ConnectionHolder,
  appends: readonly Append[],
  faults: FaultPoints | undefined,
): readonly AppendOutcome[] {
  const all = (fault: Fault): readonly AppendOutcome[] => appends.map(() => fault);
  let connection: Connection;
  try {
    connection = holder.get();
  } catch (error) {
    return all(toFault(error, 'cannot write'));
  }
  const group = commitGroup(connection, appends, faults);
  if (group.kind === 'settled') return group.outcomes;
  const { kind, cause } = group;
  // The connection may hold a transaction that is neither made nor undone; only a new one sees what the disk holds.
  if (kind === 'ambiguous' || connection.db.isTransaction) holder.drop();
  if (kind === 'untried') return all(toFault(cause, 'cannot write'));
  return all(new Fault('store_unknown', 'the commit failed and may or may not have been made; reload', { cause }));
}

/** An absolute path never means `:memory:`, a URI, or another file after the process changed its folder. */
function filePath(path: string): string {
  if (path === '' || path === ':memory:' || path.startsWith('file:') || path.includes('\0'))
    throw new Fault('input_invalid', `"${path}" does not name a file; a journal that is not kept is the one in memory`);
  return resolve(path);
}
