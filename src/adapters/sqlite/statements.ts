import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Every statement of the append path and of the point reads, prepared once for each connection. */
export interface Statements {
  readonly begin: StatementSync;
  readonly commit: StatementSync;
  readonly savepoint: StatementSync;
  readonly release: StatementSync;
  readonly rollbackToSavepoint: StatementSync;
  readonly insertFrame: StatementSync;
  readonly insertBlob: StatementSync;
  readonly moveSession: StatementSync;
  readonly upsertSession: StatementSync;
  readonly upsertGate: StatementSync;
  readonly upsertEffect: StatementSync;
  readonly insertGrantUse: StatementSync;
  readonly insertCheckpoint: StatementSync;
  readonly frameAt: StatementSync;
  readonly framesFrom: StatementSync;
  readonly session: StatementSync;
  readonly blob: StatementSync;
  readonly checkpoint: StatementSync;
  readonly latestCheckpoint: StatementSync;
  readonly effects: StatementSync;
  readonly effect: StatementSync;
}

/** The primary key is the fence; the conditions let a frame in only behind its own past and before the end. */
const INSERT_FRAME = `
insert into frames (session_id, seq, at, writer, events, hash)
select ?1, ?2, ?3, ?4, ?5, ?6
where (?2 = 1 or exists (select 1 from frames where session_id = ?1 and seq = ?2 - 1 and hash = ?7))
  and not exists (select 1 from sessions where session_id = ?1 and terminal_code is not null)
on conflict do nothing`;

/** The common case: a session moved on and nothing that is indexed changed. */
const MOVE_SESSION = `
update sessions set node = ?2, seq = ?3, head_hash = ?4, updated_at = ?5, last_seen = ?6
where session_id = ?1 and status = ?7 and wake_at is ?8 and terminal_code is ?9
  and tenant_id = ?10 and agent = ?11 and intent = ?12`;

const UPSERT_SESSION = `
insert into sessions (session_id, node, seq, head_hash, updated_at, last_seen, status, wake_at, terminal_code,
  tenant_id, agent, intent)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do update set node = excluded.node, seq = excluded.seq, head_hash = excluded.head_hash,
  updated_at = excluded.updated_at, last_seen = excluded.last_seen, status = excluded.status,
  wake_at = excluded.wake_at, terminal_code = excluded.terminal_code, agent = excluded.agent, intent = excluded.intent
where tenant_id = excluded.tenant_id`;

const UPSERT_GATE = `
insert into gates (gate_id, session_id, tenant_id, name, kind, status, packet_hash, opened_at, expires_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do update set tenant_id = excluded.tenant_id, name = excluded.name, kind = excluded.kind,
  status = excluded.status, packet_hash = excluded.packet_hash, opened_at = excluded.opened_at,
  expires_at = excluded.expires_at
where session_id = excluded.session_id`;

/** What is settled stays settled: asking for it again changes nothing and is counted as done. */
const UPSERT_EFFECT = `
insert into effects (idempotency_key, session_id, step_id, tool, args_hash, state, result)
values (?, ?, ?, ?, ?, ?, ?)
on conflict do update set
  step_id = iif(state = 'settled', step_id, excluded.step_id),
  tool = iif(state = 'settled', tool, excluded.tool),
  args_hash = iif(state = 'settled', args_hash, excluded.args_hash),
  state = iif(state = 'settled', state, excluded.state),
  result = iif(state = 'settled', result, excluded.result)
where session_id = excluded.session_id`;

/** Storing the same checkpoint again changes nothing and is counted as done. */
const INSERT_CHECKPOINT = `
insert into checkpoints (checkpoint_id, session_id, seq, address)
values (?, ?, ?, ?)
on conflict do update set seq = seq
where session_id = excluded.session_id and address = excluded.address`;

export function prepareStatements(db: DatabaseSync): Statements {
  return {
    begin: db.prepare('begin immediate'),
    commit: db.prepare('commit'),
    savepoint: db.prepare('savepoint one'),
    release: db.prepare('release one'),
    rollbackToSavepoint: db.prepare('rollback to one'),
    insertFrame: db.prepare(INSERT_FRAME),
    insertBlob: db.prepare('insert into blobs (address, text) values (?, ?) on conflict do nothing'),
    moveSession: db.prepare(MOVE_SESSION),
    upsertSession: db.prepare(UPSERT_SESSION),
    upsertGate: db.prepare(UPSERT_GATE),
    upsertEffect: db.prepare(UPSERT_EFFECT),
    insertGrantUse: db.prepare(
      'insert into grant_uses (grant_id, session_id, step_id, used_at) values (?, ?, ?, ?) on conflict do nothing',
    ),
    insertCheckpoint: db.prepare(INSERT_CHECKPOINT),
    frameAt: db.prepare('select writer, hash from frames where session_id = ? and seq = ?'),
    framesFrom: db.prepare(
      'select seq, at, writer, events, hash from frames where session_id = ? and seq between ? and ? order by seq',
    ),
    session: db.prepare('select * from sessions where session_id = ?'),
    blob: db.prepare('select text from blobs where address = ?'),
    checkpoint: db.prepare('select checkpoint_id, session_id, seq, address from checkpoints where checkpoint_id = ?'),
    latestCheckpoint: db.prepare(
      `select checkpoint_id, session_id, seq, address
       from checkpoints where session_id = ? order by seq desc, rowid desc limit 1`,
    ),
    effect: db.prepare(
      `select idempotency_key, session_id, step_id, tool, args_hash, state, result
       from effects where idempotency_key = ?`,
    ),
    effects: db.prepare(
      `select idempotency_key, session_id, step_id, tool, args_hash, state, result
       from effects where session_id = ? order by rowid`,
    ),
  };
}
