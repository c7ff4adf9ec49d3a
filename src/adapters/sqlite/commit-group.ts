import type { Fault } from '../../model/fault/fault.ts';
import type { KillSwitch } from '../../model/gate/kill-switch.ts';
import { refuseOrphan } from '../../ports/journal/append-refusals.ts';
import type { Append, FaultPoints } from '../../ports/journal/journal.ts';
import type { SessionRow } from '../../ports/journal/rows.ts';
import type { ConnectionHolder, SqliteConnection } from './connection.ts';
import { refuseIfKilled, thrownSwitches } from './permissions/kill-switches.ts';
import { recordStandingUse } from './permissions/standing.ts';
import { commitFailed, toFault } from './sqlite-fault.ts';
import { type Writing, writeAppend } from './write-append.ts';

/** The outcome of one append: null if it is stored, otherwise the fault. */
export type AppendOutcome = Fault | null;

type GroupOutcome =
  | { readonly kind: 'settled'; readonly outcomes: readonly AppendOutcome[] }
  /** No commit was tried, so nothing of the group is stored. The transaction may still be open. */
  | { readonly kind: 'untried'; readonly cause: unknown }
  /** The commit itself failed. Only reading the file again can tell what is stored. */
  | { readonly kind: 'ambiguous'; readonly cause: unknown };

/**
 * Stores the appends of many sessions with one fsync. If one of them is refused, the group starts again with a
 * savepoint per append, so that the refusal does not affect the others.
 */
export function commitGroup(
  connection: SqliteConnection,
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

function writeAll(connection: SqliteConnection, appends: readonly Append[]): readonly AppendOutcome[] {
  try {
    const writing = startGroup(connection);
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
 * Writes all appends that are not refused yet and records new refusals. Returns false if one of them aborted the
 * transaction, as a full disk does; the appends before it must then be written again, without it.
 */
function writeRest(connection: SqliteConnection, appends: readonly Append[], refused: Map<Append, Fault>): boolean {
  const { db, statements } = connection;
  if (db.isTransaction) statements.rollback.run();
  statements.begin.run();
  const writing = startGroup(connection);
  for (const append of appends) {
    if (refused.has(append)) continue;
    const fault = tryOne(connection, writing, append);
    if (fault !== null) refused.set(append, fault);
    if (!db.isTransaction) return false;
  }
  return true;
}

interface GroupWriting extends Writing {
  /** Read once per transaction, because no other connection can write while it is open. */
  readonly thrown: () => readonly KillSwitch[];
}

function startGroup({ statements, known, permissions, signer }: SqliteConnection): GroupWriting {
  permissions.begun();
  let row = Number(statements.lastRow.get()?.['row']);
  let thrown: readonly KillSwitch[] | null = null;
  return {
    statements,
    known,
    signer,
    saw: permissions.head(),
    nextRow: () => {
      row += 1;
      return row;
    },
    thrown: () => {
      thrown ??= thrownSwitches(permissions);
      return thrown;
    },
  };
}

function writeOne({ permissions }: SqliteConnection, writing: GroupWriting, append: Append): void {
  const isNew = writeAppend(writing, append);
  if (!isNew) return;
  refuseIfKilled(writing.thrown, append);
  refuseIfOrphaned(writing, append);
  for (const use of append.projections.standing ?? []) recordStandingUse(permissions, use);
}

/** Runs inside the transaction, so that no run above the lane can end or pause between the check and the write. */
function refuseIfOrphaned({ statements }: GroupWriting, { projections }: Append): void {
  const fault = refuseOrphan(
    projections,
    (parent) => statements.session.get(parent) as Pick<SessionRow, 'terminal_code' | 'head_hash'> | undefined,
  );
  if (fault !== null) throw fault;
}

function tryOne(connection: SqliteConnection, writing: GroupWriting, append: Append): Fault | null {
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

/** Reports appends as stored only if the file is still in place, so that no call follows an intent that is lost. */
function afterCommit(
  holder: ConnectionHolder,
  outcomes: readonly AppendOutcome[],
  all: (fault: Fault) => readonly AppendOutcome[],
): readonly AppendOutcome[] {
  try {
    holder.assertInPlace();
    return outcomes;
  } catch (error) {
    return all(toFault(error, `cannot write to ${holder.file}`));
  }
}

/** Stores appends as one group. Drops the connection if its transaction is in an unknown state. */
export function commitAppends(
  holder: ConnectionHolder,
  appends: readonly Append[],
  faults?: FaultPoints,
): readonly AppendOutcome[] {
  const all = (fault: Fault): readonly AppendOutcome[] => appends.map(() => fault);
  const doing = `cannot write to ${holder.file}`;
  let connection: SqliteConnection;
  try {
    connection = holder.get();
    holder.assertInPlace();
  } catch (error) {
    return all(toFault(error, doing));
  }
  const { lockWait: patience } = connection;
  patience.beforeWait();
  const group = commitGroup(connection, appends, faults);
  if (group.kind === 'settled') {
    patience.onSuccess();
    return afterCommit(holder, group.outcomes, all);
  }
  const { kind, cause } = group;
  patience.onFailure(cause);
  // The connection may hold a transaction in an unknown state; only a new connection sees what is on disk.
  if (kind === 'ambiguous' || connection.db.isTransaction) holder.drop();
  if (kind === 'untried') return all(toFault(cause, doing));
  return all(commitFailed(cause));
}
