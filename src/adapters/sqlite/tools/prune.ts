import { Fault } from '../../../model/fault/fault.ts';
import type { Pruned, PruneOptions } from '../../../ports/store/store-tools.ts';
import type { SqliteConnection } from '../connection.ts';
import { checkpointsIn, type Notes } from '../extras.ts';
import { unpackText } from '../open-database.ts';
import { readPermissionHead, readPermissions } from '../permissions/permission-chain.ts';
import { pruningOf } from '../permissions/prunings.ts';
import { PRUNED_ROW } from '../sqlite-fault.ts';
import { withFile } from './check.ts';
import { type EndedSession, type PrunePlan, planPrune } from './plan-prune.ts';

/** The frames that one transaction removes. A longer session is removed alone, because a session is pruned at once. */
const BATCH_FRAMES = 1_000;

/** The longest sleep of SQLite between two tries for a lock, so that a waiting writer gets its turn. */
const PAUSE_MS = 100;

/** The pruned sessions, and the progress that other connections do not see. */
interface Pruning {
  readonly connection: SqliteConnection;
  readonly options: PruneOptions;
  readonly pruned: { readonly sessions: string[]; frames: number; texts: number };
}

/**
 * Prunes in batches, and lets other writers write between them. Each session is either unchanged, or pruned and recorded
 * as pruned, and a text is removed with the last session that mentions it.
 */
export function pruneStoreFile(file: string, options: PruneOptions): Pruned {
  const { olderThanMs, now, key } = options;
  if (!(olderThanMs >= 0 && Number.isSafeInteger(now - olderThanMs))) {
    throw new Fault(
      'input_invalid',
      `olderThanMs and now are whole milliseconds from 0 on, not ${olderThanMs} and ${now}`,
    );
  }
  return withFile(file, { access: 'write', key }, (connection) => {
    const pruning: Pruning = { connection, options, pruned: { sessions: [], frames: 0, texts: 0 } };
    while (!pruneAll(pruning));
    return pruning.pruned;
  });
}

/** Prunes batch after batch. Returns false if another process pruned meanwhile, which makes the plan invalid. */
function pruneAll(pruning: Pruning): boolean {
  const plan = readPlan(pruning);
  let batch: EndedSession[] = [];
  let frames = 0;
  for (const [place, session] of plan.sessions.entries()) {
    batch.push(session);
    frames += session.rows.length;
    const isLast = place === plan.sessions.length - 1;
    if (frames < BATCH_FRAMES && !isLast) continue;
    if (!pruneBatch(pruning, plan, batch)) return false;
    if (!isLast) letOthersWrite();
    batch = [];
    frames = 0;
  }
  return true;
}

/** Reads the plan in a transaction that does not keep others from writing. */
function readPlan({ connection, options: { tenant, olderThanMs, now } }: Pruning): PrunePlan {
  const { db } = connection;
  db.exec('begin');
  try {
    const over = db
      .prepare(
        `select sid, session_id from sessions where tenant_id = ? and terminal_code is not null and updated_at <= ?
         and last_row <> ${PRUNED_ROW} order by sid`,
      )
      .all(tenant, now - olderThanMs);
    return planPrune(connection, over as unknown as readonly EndedSession[]);
  } finally {
    db.exec('commit');
  }
}

function letOthersWrite(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}

const OVER = 'its retention is over';

function pruneBatch(
  { connection, options, pruned }: Pruning,
  plan: PrunePlan,
  batch: readonly EndedSession[],
): boolean {
  const { db, permissions, statements } = connection;
  const { now, olderThanMs, reason } = options;
  const done = permissions.change(() => {
    if (!plan.include(readNews(connection, plan))) return null;
    for (const { sid, rows, record } of batch) {
      removeFrames(connection, sid, rows);
      const why = { record, reason: reason ?? OVER, at: now, older_than_ms: olderThanMs };
      permissions.append({ kind: 'session_pruned', pruning: pruningOf(db, sid, why) });
    }
    const texts = plan.textsUpTo(batch.at(-1)?.sid ?? 0);
    const remove = db.prepare('delete from blobs where address = ?');
    for (const address of texts) remove.run(address);
    // A row number is given again if the newest frames were removed.
    plan.read = { row: Number(statements.lastRow.get()?.['row']), records: readPermissionHead(statements).count };
    return texts.length;
  });
  if (done === null) return false;
  pruned.sessions.push(...batch.map(({ session_id }) => session_id));
  pruned.frames += batch.reduce((sum, { rows }) => sum + rows.length, 0);
  pruned.texts += done;
  return true;
}

/** The frames and records that others have written since the plan was made or the last batch was committed. */
function readNews({ db, statements }: SqliteConnection, { read }: PrunePlan): Parameters<PrunePlan['include']>[0] {
  const frames = db
    .prepare('select events, notes from frames left join extras using (row) where row > ?')
    .all(read.row)
    .map(({ events, notes }) => `${unpackText(events as string | Uint8Array)}${notes ?? ''}`);
  const records = readPermissions(statements, read.records, Number.MAX_SAFE_INTEGER).map(({ record }) => record);
  return { frames, records };
}

/** Removes the frames of a session and their extras. */
function removeFrames({ db }: SqliteConnection, sid: number, rows: readonly number[]): void {
  const stored = db.prepare('select notes from extras where row = ?');
  const id = db.prepare('delete from checkpoint_ids where checkpoint_id = ? and row = ?');
  const extras = db.prepare('delete from extras where row = ?');
  const frame = db.prepare('delete from frames where row = ?');
  for (const row of rows) {
    const notes = stored.get(row)?.['notes'];
    if (notes !== undefined) for (const [name] of checkpointsIn(JSON.parse(String(notes)) as Notes)) id.run(name, row);
    extras.run(row);
    frame.run(row);
  }
  db.prepare(`update sessions set last_row = ${PRUNED_ROW}, wake_at = null where sid = ?`).run(sid);
}
