import type { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../model/fault/fault.ts';
import type { Address } from '../../model/json/hash.ts';
import type { RunMode } from '../../model/run/run-request.ts';
import type { EffectRow } from '../../ports/journal/rows.ts';
import type { StandingUse } from '../../ports/journal/standing-grants.ts';
import { packExtras } from './extras.ts';
import { GATE_INDEXES, GRANT_INDEXES, SESSION_INDEXES } from './indexes.ts';
import { pragma, unpackText } from './open-database.ts';
import { appendPermission, permissionStatements } from './permissions/permission-chain.ts';
import { pruningOf } from './permissions/prunings.ts';
import type { PermissionRecord } from './permissions/records.ts';

/**
 * Migrates format 4 to 5, which stores the action of a gate, the start time of a session and refused grants. The action
 * of an older gate is only in its packet.
 */
function from4(db: DatabaseSync): void {
  db.exec(`
alter table gates add column action text not null default '';
create index gates_by_action on gates (tenant_id, name, action, status, opened_at);
alter table sessions add column started_at integer not null default 0;
update sessions set started_at = ifnull((select at from frames where frames.row = sessions.sid), updated_at);
create table refused_grants (tenant_id text not null, refused_json text not null) strict;
create index refused_grants_by_tenant on refused_grants (tenant_id);
`);
}

/**
 * Migrates format 5 to 6. Format 5 had an index of all ledger keys, and every call with a side effect wrote to a random
 * page of it. In format 6 a session's ledger is read along the session's chain.
 */
function from5(db: DatabaseSync): void {
  db.exec('drop table effect_keys');
}

/** Migrates format 6 to 7, which stores the thread of a session and its user. Older files have them in first frames. */
function from6(db: DatabaseSync): void {
  db.exec(`
alter table sessions add column thread text;
alter table sessions add column thread_user text;
create index sessions_by_thread on sessions (tenant_id, thread, sid) where thread is not null;
`);
  const place = db.prepare('update sessions set thread = ?, thread_user = ? where sid = ?');
  const firsts = db
    .prepare('select s.sid, f.events from sessions s join frames f on f.row = s.sid and f.seq = 1')
    .all();
  for (const { sid, events } of firsts) {
    const member = threadIn(events as string | Uint8Array);
    if (member !== null) place.run(member.thread, member.user, Number(sid));
  }
}

/** The thread that a first frame names. Null if it names none, or cannot be read: reading the session reports it. */
function threadIn(stored: string | Uint8Array): { readonly thread: string; readonly user: string } | null {
  const { thread, identity } = firstEventIn(stored) ?? {};
  return thread === undefined || identity === undefined ? null : { thread, user: identity.actor };
}

function firstEventIn(stored: string | Uint8Array): Received | null {
  try {
    const [first] = JSON.parse(unpackText(stored)) as readonly Received[];
    return first ?? null;
  } catch {
    return null;
  }
}

interface Received {
  readonly heartbeat_ms?: number | null;
  readonly thread?: string;
  readonly identity?: { readonly actor: string };
}

/**
 * Migrates format 7 to 8, which chains the permissions that belong to no single run. The rows of older files become
 * unsigned records, because nothing proves that they were not changed before.
 */
function from7(db: DatabaseSync): void {
  db.exec(PERMISSION_TABLES);
  const statements = permissionStatements(db);
  const add = (record: PermissionRecord): void => void appendPermission(statements, record, null);
  const all = (sql: string): readonly Record<string, unknown>[] => db.prepare(sql).all();
  for (const { switch_id, switch_json, lifted_json } of all('select * from kill_switches order by rowid')) {
    add({ kind: 'switch_thrown', thrown: parsed(switch_json) });
    if (lifted_json !== null) add({ kind: 'switch_lifted', switch_id: String(switch_id), lifted: parsed(lifted_json) });
  }
  for (const { grant_json } of all('select * from standing_grants order by rowid'))
    add({ kind: 'grant_given', grant: parsed(grant_json) });
  for (const use of all('select grant_id, session_id, step_id, used_at, microusd from standing_uses order by rowid'))
    add({ kind: 'grant_used', use: { ...use } as unknown as StandingUse });
  for (const { grant_id, revoked_json } of all('select * from standing_grants order by rowid'))
    if (revoked_json !== null)
      add({ kind: 'grant_revoked', grant_id: String(grant_id), revoked: parsed(revoked_json) });
  for (const { refused_json } of all('select * from refused_grants order by rowid'))
    add({ kind: 'grant_refused', refused: parsed(refused_json) });
  for (const { sid, record } of all('select p.sid, record from pruned p join sessions using (sid) order by p.sid')) {
    const pruning = pruningOf(db, Number(sid), {
      record: record as Address | null,
      reason: 'pruned before prunings were recorded',
      at: null,
      older_than_ms: null,
    });
    add({ kind: 'session_pruned', pruning });
  }
  db.exec(OLD_PERMISSIONS);
}

const parsed = <T>(json: unknown): T => JSON.parse(String(json)) as T;

/** Format 4 had a table `snapshots`, which nothing reads. */
const OLD_PERMISSIONS = `
drop table standing_uses;
drop table standing_grants;
drop table refused_grants;
drop table kill_switches;
drop table pruned;
drop table if exists snapshots;
`;

const PERMISSION_TABLES = `
create table permissions (row integer primary key, record text not null, hash text not null, signer text,
  signature text) strict;
create table permission_head (count integer not null, hash text not null) strict;
insert into permission_head (count, hash) values (0, 'genesis');
`;

/** Migrates format 8 to 9, which stores the mode of a session and has an index for every listing. */
function from8(db: DatabaseSync): void {
  db.exec('alter table sessions add column mode text');
  const place = db.prepare('update sessions set mode = ? where sid = ?');
  const firsts = db
    .prepare('select s.sid, f.events from sessions s join frames f on f.row = s.sid and f.seq = 1')
    .all();
  for (const { sid, events } of firsts) place.run(modeIn(events as string | Uint8Array), Number(sid));
  db.exec('drop index sessions_by_status; drop index sessions_by_thread; drop index gates_by_status');
  db.exec(`${SESSION_INDEXES}${GATE_INDEXES}${GRANT_INDEXES}`);
}

/** The mode that a first frame names. Null if it cannot be read: reading the session reports it. */
function modeIn(stored: string | Uint8Array): RunMode | null {
  const heartbeat = firstEventIn(stored)?.heartbeat_ms;
  if (heartbeat === undefined) return null;
  return heartbeat === null ? 'standard' : 'long_running';
}

/** Migrates format 9 to 10, which stores with each frame the permission records that it follows, and its signature. */
function from9(db: DatabaseSync): void {
  db.exec('alter table frames add column permissions text; alter table frames add column signature text');
}

/** The migration from each released format to the next. Released formats are never removed. */
const STEPS: ReadonlyMap<number, (db: DatabaseSync) => void> = new Map([
  [3, from3],
  [4, from4],
  [5, from5],
  [6, from6],
  [7, from7],
  [8, from8],
  [9, from9],
]);

export const OLDEST: number = Math.min(...STEPS.keys());

/**
 * Migrates a file, format by format, in one transaction. A process that dies during it leaves the file unchanged, and a
 * second process that tries at the same time finds the work done.
 */
export function migrate(db: DatabaseSync, file: string, to: number): void {
  // Referenced tables are dropped and recreated; all references are checked before the commit.
  db.exec('pragma foreign_keys = off');
  try {
    db.exec('begin immediate');
    for (let version = pragma(db, 'user_version'); version < to; version += 1) {
      const step = STEPS.get(version);
      if (step === undefined)
        throw new Fault('store_version_unsupported', `${file} has journal format ${version}, which nothing reads`);
      step(db);
      db.exec(`pragma user_version = ${version + 1}`);
    }
    if (db.prepare('pragma foreign_key_check').get() !== undefined)
      throw new Fault('store_corrupt', `${file} refers to rows that it does not have; it was left as it is`);
    db.exec('commit');
  } catch (error) {
    if (db.isTransaction) db.exec('rollback');
    throw error;
  } finally {
    db.exec('pragma foreign_keys = on');
  }
}

/**
 * Migrates format 3 to 4. Format 3 had an index for every lookup, and every step wrote to all of them. In format 4 the
 * frames of a session are chained by row, and related data is in a row next to the frame: see `schema.ts`.
 */
function from3(db: DatabaseSync): void {
  db.exec(NEW_TABLES);
  db.exec(COPY_FRAMES);
  copyNotes(db);
  db.exec(REPLACE_OLD);
}

const NEW_TABLES = `
create table frames_4 (row integer primary key, sid integer not null, seq integer not null, before integer,
  at integer not null, writer text not null, hash text not null, events any not null) strict;
create table extras (row integer primary key, notes text not null, texts text not null) strict;
create table blobs_4 (address text not null primary key, text any not null) strict;
create table sessions_4 (sid integer primary key, session_id text not null unique, tenant_id text not null,
  agent text not null, intent text not null, status text not null, node text not null, seq integer not null,
  head_hash text not null, updated_at integer not null, wake_at integer, terminal_code text,
  last_seen integer not null, last_row integer not null, checkpoints integer not null) strict;
create table effect_keys (key any not null primary key, row integer not null) strict, without rowid;
create table checkpoint_ids (checkpoint_id text not null primary key, row integer not null) strict, without rowid;
create table pruned (sid integer primary key, record text) strict;
`;

/** A frame that is missing in the old file stays missing: the chain of rows ends at the same frame. */
const COPY_FRAMES = `
create temp table numbered as
  select row_number() over (order by session_id, seq) as row, session_id, seq, at, writer, hash, events from frames;
create temp table firsts as select session_id, min(row) as sid from numbered group by session_id;
insert into frames_4
  select row, sid, seq, lag(row) over (partition by session_id order by seq), at, writer, hash, events
  from numbered join firsts using (session_id);
insert into sessions_4
  select f.sid, s.session_id, tenant_id, agent, intent, status, node, s.seq, head_hash, updated_at, wake_at,
    terminal_code, last_seen, (select max(row) from frames_4 where sid = f.sid),
    (select count(*) from checkpoints c where c.session_id = s.session_id)
  from sessions s join firsts f using (session_id);
insert into blobs_4 select address, text from blobs;
`;

/** Stores the ledger of a session with its first frame, which every key lookup reaches anyway. */
function copyNotes(db: DatabaseSync): void {
  const insertExtras = db.prepare('insert into extras (row, notes, texts) values (?, ?, ?)');
  const insertKey = db.prepare('insert into effect_keys (key, row) values (?, ?)');
  const insertId = db.prepare('insert into checkpoint_ids (checkpoint_id, row) values (?, ?)');
  const effectsOf = db.prepare('select * from effects where session_id = ? order by rowid');
  const checkpointsAt = db.prepare(
    'select checkpoint_id, address from checkpoints where session_id = ? and seq = ? order by rowid',
  );
  const frames = db.prepare('select row, session_id, f.seq from frames_4 f join sessions_4 using (sid) order by row');
  for (const { row, session_id, seq } of frames.all() as unknown as PlacedFrame[]) {
    const checkpoints = checkpointsAt
      .all(session_id, seq)
      .map((saved) => [String(saved['checkpoint_id']), saved['address'] as Address] as const);
    const effects = seq === 1 ? (effectsOf.all(session_id) as unknown as EffectRow[]) : [];
    const extras = packExtras({ texts: [], checkpoints, effects }, '');
    if (extras !== null) insertExtras.run(row, extras.notes, extras.texts);
    for (const [id] of checkpoints) insertId.run(id, row);
    for (const { idempotency_key: key } of effects) insertKey.run(asBytes(key), row);
  }
}

interface PlacedFrame {
  readonly row: number;
  readonly session_id: string;
  readonly seq: number;
}

const asBytes = (key: string): string | Uint8Array => (/^[0-9a-f]{64}$/.test(key) ? Buffer.from(key, 'hex') : key);

const REPLACE_OLD = `
drop table checkpoints;
drop table effects;
drop table frames;
drop table blobs;
drop table sessions;
drop table numbered;
drop table firsts;
alter table frames_4 rename to frames;
alter table blobs_4 rename to blobs;
alter table sessions_4 rename to sessions;
create index sessions_by_status on sessions (status, tenant_id);
create index sessions_due on sessions (wake_at) where wake_at is not null;
`;
