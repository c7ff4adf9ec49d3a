import type { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../model/fault.ts';

export const SCHEMA_VERSION = 3;

/** "ambt" in ASCII, at a fixed place in the file's header: it tells our files from everybody else's. */
const APPLICATION_ID = 0x61_6d_62_74;

/**
 * `frames` is the truth; the other tables are read models of it, written in the same transaction.
 * A frame does not store what it is chained to: that is the hash of the row before.
 * No index holds a column that changes with every append, so a step that only moves on writes to none.
 */
const TABLES = `
create table frames (
  session_id text not null,
  seq integer not null,
  at integer not null,
  writer text not null,
  events text not null,
  hash text not null,
  primary key (session_id, seq)
) strict;
create table blobs (
  address text not null primary key,
  text text not null
) strict;
create table sessions (
  session_id text not null primary key,
  tenant_id text not null,
  agent text not null,
  intent text not null,
  status text not null,
  node text not null,
  seq integer not null,
  head_hash text not null,
  updated_at integer not null,
  wake_at integer,
  terminal_code text,
  last_seen integer not null
) strict, without rowid;
create index sessions_by_status on sessions (status, tenant_id);
create index sessions_due on sessions (wake_at) where wake_at is not null;
create table gates (
  gate_id text not null primary key,
  session_id text not null references sessions (session_id),
  tenant_id text not null,
  name text not null,
  kind text not null,
  status text not null,
  packet_hash text not null,
  opened_at integer not null,
  expires_at integer not null
) strict, without rowid;
create index gates_by_session on gates (session_id);
create index gates_by_status on gates (status, tenant_id);
create table effects (
  idempotency_key text not null primary key,
  session_id text not null,
  step_id text not null,
  tool text not null,
  args_hash text not null,
  state text not null,
  result text references blobs (address)
) strict;
create index effects_by_session on effects (session_id);
create table grant_uses (
  grant_id text not null primary key,
  session_id text not null,
  step_id text not null,
  used_at integer not null
) strict, without rowid;
create table standing_grants (
  grant_id text not null primary key,
  tenant_id text not null,
  tool text not null,
  grant_json text not null,
  revoked_json text,
  uses integer not null,
  microusd integer not null
) strict;
create table standing_uses (
  grant_id text not null references standing_grants (grant_id),
  session_id text not null,
  step_id text not null,
  used_at integer not null,
  microusd integer not null
) strict;
create index standing_uses_by_grant on standing_uses (grant_id);
create table kill_switches (
  switch_id text not null primary key,
  switch_json text not null,
  lifted_json text
) strict;
create table checkpoints (
  checkpoint_id text not null primary key,
  session_id text not null,
  seq integer not null,
  address text not null references blobs (address)
) strict;
create index checkpoints_by_session on checkpoints (session_id, seq);
`;

/** Makes the tables. Two processes may open a new file at once: the one that gets the lock second finds it done. */
export function createSchema(db: DatabaseSync, file: string): void {
  db.exec('begin immediate');
  try {
    if (!hasSchema(db, file)) {
      db.exec(TABLES);
      db.exec(`pragma application_id = ${APPLICATION_ID}`);
      db.exec(`pragma user_version = ${SCHEMA_VERSION}`);
    }
    db.exec('commit');
  } catch (error) {
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}

/** False for a file that is still empty. A file of another version or of somebody else is refused, and only read. */
export function hasSchema(db: DatabaseSync, file: string): boolean {
  // In this order: another process may be making the tables, and they appear together with the application id.
  const isEmpty = db.prepare('select 1 from sqlite_schema limit 1').get() === undefined;
  const application = pragma(db, 'application_id');
  if (isEmpty && application === 0) return false;
  if (application !== APPLICATION_ID)
    throw new Fault('input_invalid', `${file} is the database of another application; name another file`);
  const version = pragma(db, 'user_version');
  if (version === SCHEMA_VERSION) return true;
  const why = `${file} has journal format ${version}; this version of ambit reads format ${SCHEMA_VERSION}`;
  throw new Fault('store_version_unsupported', why);
}

function pragma(db: DatabaseSync, name: string): number {
  return Number(db.prepare(`pragma ${name}`).get()?.[name]);
}
