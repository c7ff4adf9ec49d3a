import type { Fault } from '../../model/fault.ts';
import type { FaultPoints } from '../../ports/fault-points.ts';
import type { Append } from '../../ports/journal.ts';
import { type AppendOutcome, commitGroup } from './commit-group.ts';
import type { Connection, ConnectionHolder } from './connection.ts';
import { commitFailed, toFault } from './sqlite-fault.ts';

/** Stores appends as one group, and gives the connection up where nobody can say what became of it. */
export function commitAppends(
  holder: ConnectionHolder,
  appends: readonly Append[],
  faults?: FaultPoints,
): readonly AppendOutcome[] {
  const all = (fault: Fault): readonly AppendOutcome[] => appends.map(() => fault);
  const doing = `cannot write to ${holder.file}`;
  let connection: Connection;
  try {
    connection = holder.get();
  } catch (error) {
    return all(toFault(error, doing));
  }
  const { patience } = connection;
  patience.renew();
  const group = commitGroup(connection, appends, faults);
  if (group.kind === 'settled') {
    patience.regain();
    return group.outcomes;
  }
  const { kind, cause } = group;
  patience.spend(cause);
  // The connection may hold a transaction that is neither made nor undone; only a new one sees what the disk holds.
  if (kind === 'ambiguous' || connection.db.isTransaction) holder.drop();
  if (kind === 'untried') return all(toFault(cause, doing));
  return all(commitFailed(cause));
}
