import type { DatabaseSync, StatementSync } from 'node:sqlite';

export const SESSION_COLUMNS =
  'session_id, tenant_id, agent, intent, status, node, seq, head_hash, started_at, updated_at, wake_at, terminal_code, last_seen, thread, thread_user, mode';

/** The fence: a writer that read another head updates nothing. */
const FENCE = 'where sid = ?1 and seq = ?2 - 1 and head_hash = ?3 and terminal_code is null';

/** Walks a session's frames from its head back to a seq, newest first. Rows only decrease, so a damaged link cannot form a circle. */
const walk = (columns: string): string => `
with recursive walk (row, depth) as (
  select ?1, 0
  union all
  select f.before, depth + 1 from walk join frames f on f.row = walk.row
  where f.before < f.row and f.seq > ?2
)
select ${columns}`;

const SIGNATURE = `
select f.hash, f.permissions, f.signature, p.hash as permission
from frames f left join permissions p on p.row = cast(f.permissions as integer)`;

/** The queries of permission records. A migration needs them before the other tables exist. */
export const PERMISSION_SQL: Readonly<Record<PermissionQuery, string>> = {
  permissionHead: 'select count, hash from permission_head',
  movePermissionHead: 'update permission_head set count = ?, hash = ?',
  permissions: 'select row, record, hash, signer, signature from permissions where row > ? and row <= ? order by row',
  insertPermission: 'insert into permissions (row, record, hash, signer, signature) values (?, ?, ?, ?, ?)',
};

type PermissionQuery = 'permissionHead' | 'movePermissionHead' | 'permissions' | 'insertPermission';

const SQL = {
  begin: 'begin immediate',
  commit: 'commit',
  rollback: 'rollback',
  savepoint: 'savepoint one',
  release: 'release one',
  rollbackToSavepoint: 'rollback to one',
  // A session's `sid` is the row of its first frame, and it keeps that number after its frames are pruned.
  lastRow: `select max(ifnull((select max(row) from frames), 0), ifnull((select max(sid) from sessions), 0)) as row`,
  insertFrame: `
insert into frames (row, sid, seq, before, at, writer, hash, events, permissions, signature)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  insertExtras: 'insert into extras (row, notes, texts) values (?, ?, ?)',
  insertBlob: 'insert into blobs (address, text) values (?, ?) on conflict do nothing',
  insertSession: `
insert into sessions (sid, session_id, tenant_id, agent, intent, status, node, seq, head_hash, updated_at, wake_at,
  terminal_code, last_seen, last_row, checkpoints, started_at, thread, thread_user, mode)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  inThread: 'select * from sessions where tenant_id = ? and thread = ? order by sid',
  threadSessions: `select ${SESSION_COLUMNS} from sessions where tenant_id = ? and thread = ? order by sid`,
  // The common case: a session moved on without a change to an indexed column.
  moveSession: `
update sessions set seq = ?2, head_hash = ?4, last_row = ?5, checkpoints = ?6, updated_at = ?7, last_seen = ?8, node = ?9
${FENCE}`,
  changeSession: `
update sessions set seq = ?2, head_hash = ?4, last_row = ?5, checkpoints = ?6, updated_at = ?7, last_seen = ?8, node = ?9,
  status = ?10, wake_at = ?11, terminal_code = ?12, agent = ?13, intent = ?14
${FENCE}`,
  upsertGate: `
insert into gates (gate_id, session_id, tenant_id, name, kind, action, status, packet_hash, opened_at, expires_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do update set tenant_id = excluded.tenant_id, name = excluded.name, kind = excluded.kind, action = excluded.action,
  status = excluded.status, packet_hash = excluded.packet_hash, opened_at = excluded.opened_at,
  expires_at = excluded.expires_at
where session_id = excluded.session_id`,
  insertGrantUse:
    'insert into grant_uses (grant_id, session_id, step_id, used_at) values (?, ?, ?, ?) on conflict do nothing',
  insertCheckpointId: 'insert into checkpoint_ids (checkpoint_id, row) values (?, ?)',
  checkpointId: `select x.notes, x.texts, x.row, f.seq, s.session_id from checkpoint_ids c join extras x on x.row = c.row
       join frames f on f.row = c.row join sessions s on s.sid = f.sid where c.checkpoint_id = ?`,
  session: 'select * from sessions where session_id = ?',
  frames: `${walk('f.seq, f.at, f.writer, f.events, f.hash, f.permissions, p.hash as permission')}
from walk join frames f on f.row = walk.row left join permissions p on p.row = cast(f.permissions as integer)
order by depth desc`,
  // The first permission record that begins with a text, of any signer or of one.
  naming:
    'select record from permissions where substr(record, 1, length(?1)) = ?1 and (?2 is null or signer = ?2) order by row limit 1',
  // The signature of a frame, with the permission record that it follows.
  signature: `${SIGNATURE} where f.row = ?`,
  newestFrame: `${SIGNATURE} order by f.row desc limit 1`,
  frame: 'select writer, hash, before, seq, events from frames where row = ?',
  // A session's `sid` is the row of its first frame.
  first: 'select seq, at, writer, hash, events from frames where row = ? and seq = 1',
  extras: 'select notes, texts from extras where row = ?',
  extrasOf: `${walk('x.row, x.notes, x.texts, f.seq')}
from walk join frames f on f.row = walk.row join extras x on x.row = walk.row
where instr(x.notes, ?3) > 0 order by depth limit ?4`,
  // Scans the full table. Used only for an address whose session is unknown.
  extrasWith: 'select row, notes, texts from extras where instr(notes, ?) > 0 limit 1',
  blob: 'select text from blobs where address = ?',
};

/** The prepared statements of appends, of single-row reads and of the queries that every run makes. */
export type Statements = Readonly<Record<keyof typeof SQL | PermissionQuery, StatementSync>>;

export function prepareStatements(db: DatabaseSync): Statements {
  return Object.fromEntries(
    Object.entries({ ...SQL, ...PERMISSION_SQL }).map(([name, sql]) => [name, db.prepare(sql)]),
  ) as Statements;
}
