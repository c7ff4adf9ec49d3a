import { pointerToken } from '../../../model/json/pointer.ts';
import type { StandingUse } from '../../../ports/journal/standing-grants.ts';
import type { StoreProblem } from '../../../ports/store/store-tools.ts';
import type { SqliteConnection } from '../connection.ts';
import { checkpointsIn, type Notes } from '../extras.ts';
import type { StoredSession } from '../known-sessions.ts';
import type { Pruning } from '../permissions/records.ts';

interface Accounted {
  readonly sessions: readonly StoredSession[];
  /** The sid of each frame row that a session's chain reaches. */
  readonly rows: ReadonlyMap<number, number>;
  /** The row of each checkpoint id, and whether it is found only through the list of ids. */
  readonly checkpoints: ReadonlyMap<string, readonly [row: number, needsList: boolean]>;
  readonly uses: ReadonlyMap<string, readonly StandingUse[]>;
  readonly prunings: ReadonlyMap<string, Pruning>;
}

/** The rows that belong to no session, and the sessions that a record names and the store lacks. */
export function* strayRows({ db }: SqliteConnection, accounted: Accounted): Generator<StoreProblem> {
  const { sessions, rows, checkpoints, uses, prunings } = accounted;
  const ids = new Set(sessions.map(({ session_id }) => session_id));
  for (const { row, seq } of db.prepare('select row, seq from frames').iterate())
    if (!rows.has(Number(row)))
      yield { place: `/frames/${row}`, message: `row ${row} (frame ${seq}) is in the chain of no session` };
  for (const { row } of db.prepare('select row from extras').iterate())
    if (!rows.has(Number(row))) yield { place: `/extras/${row}`, message: `row ${row} belongs to no frame` };
  const listed = new Map(
    db
      .prepare('select checkpoint_id, row from checkpoint_ids')
      .all()
      .map((found) => [String(found['checkpoint_id']), Number(found['row'])]),
  );
  for (const [id, row] of listed)
    if (checkpoints.get(id)?.[0] !== row)
      yield { place: `/checkpoint_ids${pointerToken(id)}`, message: `is listed at row ${row}, which does not hold it` };
  for (const [id, [row, needsList]] of checkpoints)
    if (needsList && !listed.has(id))
      yield { place: `/checkpoint_ids${pointerToken(id)}`, message: `is stored at row ${row} and is not listed` };
  for (const table of ['gates', 'grant_uses'] as const)
    for (const { session_id } of db.prepare(`select distinct session_id from ${table}`).iterate())
      if (!ids.has(String(session_id)))
        yield { place: `/${table}`, message: `has a row of session ${session_id}, which is not in the store` };
  for (const session_id of [...uses.keys(), ...prunings.keys()])
    if (!ids.has(session_id))
      yield { place: '/permissions', message: `names session ${session_id}, which is not in the store` };
}

/** The checkpoint ids of notes, and whether each is found only through the list of ids. */
export function notedIds(session: string, notes: Notes): readonly (readonly [id: string, needsList: boolean])[] {
  const own = `ck_${session}_`;
  return checkpointsIn(notes).map(([id]) => [id, !(id.startsWith(own) && /^\d+$/.test(id.slice(own.length)))]);
}
