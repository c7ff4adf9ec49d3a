import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** The prepared statements of appends, of single-row reads and of the queries that every run makes. */
export interface Statements {
  readonly begin: StatementSync;
  readonly commit: StatementSync;
  readonly rollback: StatementSync;
  readonly savepoint: StatementSync;
  readonly release: StatementSync;
  readonly rollbackToSavepoint: StatementSync;
  readonly lastRow: StatementSync;
  readonly insertFrame: StatementSync;
  readonly insertExtras: StatementSync;
  readonly insertBlob: StatementSync;
  readonly insertSession: StatementSync;
  readonly moveSession: StatementSync;
  readonly changeSession: StatementSync;
  readonly upsertGate: StatementSync;
  readonly insertGrantUse: StatementSync;
  readonly insertCheckpointId: StatementSync;
  readonly checkpointId: StatementSync;
  readonly thrownSwitches: StatementSync;
  readonly standingGrants: StatementSync;
  readonly session: StatementSync;
  readonly frames: StatementSync;
  readonly frame: StatementSync;
  readonly first: StatementSync;
  readonly extras: StatementSync;
  readonly extrasOf: StatementSync;
  readonly extrasWith: StatementSync;
  readonly blob: StatementSync;
}

/** The fence: a writer that read another head updates nothing. */
const FENCE = 'where sid = ?1 and seq = ?2 - 1 and head_hash = ?3 and terminal_code is null';

/** The common case: a session moved on without a change to an indexed column. */
const MOVE_SESSION = `
update sessions set seq = ?2, head_hash = ?4, last_row = ?5, checkpoints = ?6, updated_at = ?7, last_seen = ?8, node = ?9
${FENCE}`;

const CHANGE_SESSION = `
update sessions set seq = ?2, head_hash = ?4, last_row = ?5, checkpoints = ?6, updated_at = ?7, last_seen = ?8, node = ?9,
  status = ?10, wake_at = ?11, terminal_code = ?12, agent = ?13, intent = ?14
${FENCE}`;

const INSERT_SESSION = `
insert into sessions (sid, session_id, tenant_id, agent, intent, status, node, seq, head_hash, updated_at, wake_at,
  terminal_code, last_seen, last_row, checkpoints, started_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const UPSERT_GATE = `
insert into gates (gate_id, session_id, tenant_id, name, kind, action, status, packet_hash, opened_at, expires_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do update set tenant_id = excluded.tenant_id, name = excluded.name, kind = excluded.kind, action = excluded.action,
  status = excluded.status, packet_hash = excluded.packet_hash, opened_at = excluded.opened_at,
  expires_at = excluded.expires_at
where session_id = excluded.session_id`;

/** Walks a session's frames from its head back to a seq, newest first. */
const walk = (columns: string): string => `
with recursive walk (row, depth) as (
  select ?1, 0
  union all
  select f.before, depth + 1 from walk join frames f on f.row = walk.row where f.before is not null and f.seq > ?2
)
select ${columns}`;

const FRAMES = `${walk('f.seq, f.at, f.writer, f.events, f.hash')}
from walk join frames f on f.row = walk.row order by depth desc`;

const EXTRAS_OF = `${walk('x.row, x.notes, x.texts, f.seq')}
from walk join frames f on f.row = walk.row join extras x on x.row = walk.row
where instr(x.notes, ?3) > 0 order by depth limit ?4`;

/** Scans the full table. Used only for an address whose session is unknown. */
const EXTRAS_WITH = 'select row, notes, texts from extras where instr(notes, ?) > 0 limit 1';

/** The grants, optionally of one tenant or for one tool. */
const STANDING_GRANTS = `
select grant_json, revoked_json, uses, microusd from standing_grants
where (?1 is null or tenant_id = ?1) and (?2 is null or tool = ?2) order by rowid`;

export function prepareStatements(db: DatabaseSync): Statements {
  return {
    begin: db.prepare('begin immediate'),
    commit: db.prepare('commit'),
    rollback: db.prepare('rollback'),
    savepoint: db.prepare('savepoint one'),
    release: db.prepare('release one'),
    rollbackToSavepoint: db.prepare('rollback to one'),
    // A session's `sid` is the row of its first frame, and it keeps that number after its frames are pruned.
    lastRow: db.prepare(
      `select max(ifnull((select max(row) from frames), 0), ifnull((select max(sid) from sessions), 0)) as row`,
    ),
    insertFrame: db.prepare(
      'insert into frames (row, sid, seq, before, at, writer, hash, events) values (?, ?, ?, ?, ?, ?, ?, ?)',
    ),
    insertExtras: db.prepare('insert into extras (row, notes, texts) values (?, ?, ?)'),
    insertBlob: db.prepare('insert into blobs (address, text) values (?, ?) on conflict do nothing'),
    insertSession: db.prepare(INSERT_SESSION),
    moveSession: db.prepare(MOVE_SESSION),
    changeSession: db.prepare(CHANGE_SESSION),
    upsertGate: db.prepare(UPSERT_GATE),
    insertGrantUse: db.prepare(
      'insert into grant_uses (grant_id, session_id, step_id, used_at) values (?, ?, ?, ?) on conflict do nothing',
    ),
    insertCheckpointId: db.prepare('insert into checkpoint_ids (checkpoint_id, row) values (?, ?)'),
    checkpointId: db.prepare(
      `select x.notes, x.texts, x.row, f.seq, s.session_id from checkpoint_ids c join extras x on x.row = c.row
       join frames f on f.row = c.row join sessions s on s.sid = f.sid where c.checkpoint_id = ?`,
    ),
    thrownSwitches: db.prepare('select switch_json, lifted_json from kill_switches where lifted_json is null'),
    standingGrants: db.prepare(STANDING_GRANTS),
    session: db.prepare('select * from sessions where session_id = ?'),
    frames: db.prepare(FRAMES),
    frame: db.prepare('select writer, hash, before, seq, events from frames where row = ?'),
    // A session's `sid` is the row of its first frame.
    first: db.prepare('select seq, at, writer, hash, events from frames where row = ? and seq = 1'),
    extras: db.prepare('select notes, texts from extras where row = ?'),
    extrasOf: db.prepare(EXTRAS_OF),
    extrasWith: db.prepare(EXTRAS_WITH),
    blob: db.prepare('select text from blobs where address = ?'),
  };
}
