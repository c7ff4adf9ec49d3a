import type { Fault } from '../../model/fault.ts';
import type { FaultPoints } from '../../ports/fault-points.ts';
import type { Append } from '../../ports/journal.ts';
import type { Connection } from './connection.ts';
import { refuseIfKilled } from './kill-switches.ts';
import { toFault } from './sqlite-fault.ts';
import { writeStandingUse } from './standing.ts';
import { writeAppend } from './write-append.ts';

/** What became of one append: null when it is stored, else why it is not. */
export type AppendOutcome = Fault | null;

export type GroupOutcome =
  | { readonly kind: 'settled'; readonly outcomes: readonly AppendOutcome[] }
  /** No commit was tried, so nothing of the group is stored; the transaction may still be open. */
  | { readonly kind: 'untried'; readonly cause: unknown }
  /** The commit itself failed: only reading the file again can tell what is stored. */
  | { readonly kind: 'ambiguous'; readonly cause: unknown };

/**
 * Stores many sessions' appends with one fsync. Each has a savepoint of its own, so that one that is refused
 * takes nothing of its neighbours with it.
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
    outcomes = appends.map((append) => writeOne(connection, append));
  } catch (cause) {
    return { kind: 'untried', cause };
  }
  try {
    faults?.('before_commit');
    statements.commit.run();
    faults?.('after_commit');
  } catch (cause) {
    return { kind: 'ambiguous', cause };
  }
  return { kind: 'settled', outcomes };
}

function writeOne({ db, statements }: Connection, append: Append): AppendOutcome {
  statements.savepoint.run();
  let outcome: AppendOutcome = null;
  try {
    const isNew = writeAppend(statements, append);
    if (isNew) {
      refuseIfKilled(db, append);
      for (const use of append.projections.standing ?? []) writeStandingUse(db, use);
    }
  } catch (error) {
    // After the worst failures SQLite has rolled everything back by itself, and the neighbours with it.
    if (!db.isTransaction) throw error;
    statements.rollbackToSavepoint.run();
    outcome = toFault(error, `cannot store frame ${append.frame.seq} of session ${append.session}`);
  }
  statements.release.run();
  return outcome;
}
