import type { Fault } from '../../model/fault.ts';
import type { KillSwitch } from '../../model/kill-switch.ts';
import type { FaultPoints } from '../../ports/fault-points.ts';
import type { Append } from '../../ports/journal.ts';
import type { SessionRow } from '../../ports/journal-rows.ts';
import { orphaned } from '../../ports/journal-rules/append-refusals.ts';
import type { Connection } from './connection.ts';
import { refuseIfKilled, thrownSwitches } from './kill-switches.ts';
import { toFault } from './sqlite-fault.ts';
import { writeStandingUse } from './standing.ts';
import { type Writing, writeAppend } from './write-append.ts';

/** What became of one append: null when it is stored, else why it is not. */
export type AppendOutcome = Fault | null;

export type GroupOutcome =
  | { readonly kind: 'settled'; readonly outcomes: readonly AppendOutcome[] }
  /** No commit was tried, so nothing of the group is stored; the transaction may still be open. */
  | { readonly kind: 'untried'; readonly cause: unknown }
  /** The commit itself failed: only reading the file again can tell what is stored. */
  | { readonly kind: 'ambiguous'; readonly cause: unknown };

/**
 * Stores many sessions' appends with one fsync. Nearly always all of them can be; where one cannot, the group is begun
 * again and each has a savepoint of its own, so that one that is refused takes nothing of its neighbours with it.
 */
export function commitGroup(
  connection: Connection,
  appends: readonly Append[],
  faults: FaultPoints | undefined,
): GroupOutcome {
  const { statements } = connection;
  let outcomes: readonly AppendOutcome[];
  try {
    statements.begin.run();
    outcomes = writeAll(connection, appends);
  } catch (cause) {
    connection.known.forget();
    return { kind: 'untried', cause };
  }
  try {
    faults?.('before_commit');
    statements.commit.run();
    faults?.('after_commit');
  } catch (cause) {
    connection.known.forget();
    return { kind: 'ambiguous', cause };
  }
  return { kind: 'settled', outcomes };
}

function writeAll(connection: Connection, appends: readonly Append[]): readonly AppendOutcome[] {
  try {
    const writing = begun(connection);
    for (const append of appends) writeOne(connection, writing, append);
    return appends.map(() => null);
  } catch {
    connection.known.forget();
  }
  const refused = new Map<Append, Fault>();
  while (!writeRest(connection, appends, refused));
  return appends.map((append) => refused.get(append) ?? null);
}

/**
 * Writes all that are not refused yet, and notes which are. False where one of them cost the whole transaction, as one
 * does that finds the disk full: then all that stood before it is to be written again, without it.
 */
function writeRest(connection: Connection, appends: readonly Append[], refused: Map<Append, Fault>): boolean {
  const { db, statements } = connection;
  if (db.isTransaction) statements.rollback.run();
  statements.begin.run();
  const writing = begun(connection);
  for (const append of appends) {
    if (refused.has(append)) continue;
    const fault = tryOne(connection, writing, append);
    if (fault !== null) refused.set(append, fault);
    if (!db.isTransaction) return false;
  }
  return true;
}

interface GroupWriting extends Writing {
  /** Looked at once: nobody else writes while this transaction is open. */
  readonly thrown: () => readonly KillSwitch[];
}

function begun({ statements, known }: Connection): GroupWriting {
  let row = Number(statements.lastRow.get()?.['row']);
  let thrown: readonly KillSwitch[] | null = null;
  return {
    statements,
    known,
    nextRow: () => {
      row += 1;
      return row;
    },
    thrown: () => {
      thrown ??= thrownSwitches(statements);
      return thrown;
    },
  };
}

function writeOne({ db }: Connection, writing: GroupWriting, append: Append): void {
  const isNew = writeAppend(writing, append);
  if (!isNew) return;
  refuseIfKilled(writing.thrown, append);
  refuseIfOrphaned(writing, append);
  for (const use of append.projections.standing ?? []) writeStandingUse(db, use);
}

/** Inside the transaction as well: the session above cannot end between the look and the write. */
function refuseIfOrphaned({ statements }: GroupWriting, { projections }: Append): void {
  const fault = orphaned(
    projections,
    (parent) => statements.session.get(parent) as Pick<SessionRow, 'terminal_code'> | undefined,
  );
  if (fault !== null) throw fault;
}

function tryOne(connection: Connection, writing: GroupWriting, append: Append): Fault | null {
  const { db, statements, known } = connection;
  statements.savepoint.run();
  try {
    writeOne(connection, writing, append);
    statements.release.run();
    return null;
  } catch (error) {
    known.forget();
    if (db.isTransaction) {
      statements.rollbackToSavepoint.run();
      statements.release.run();
    }
    return toFault(error, `cannot store frame ${append.frame.seq} of session ${append.session}`);
  }
}
