import type { DatabaseSync } from 'node:sqlite';
import { GENESIS } from '../../model/events/frame.ts';
import { Fault } from '../../model/fault/fault.ts';
import { GATE_INDEXES, GRANT_INDEXES, SESSION_INDEXES } from './indexes.ts';
import { OLDEST } from './migrate.ts';
import { isEmpty, pragma } from './open-database.ts';

export const SCHEMA_VERSION = 10;

/** "ambt" in ASCII, in the file's header: distinguishes journals from other SQLite files. */
const APPLICATION_ID = 0x61_6d_62_74;

/**
 * `frames` and `permissions` are the sources of truth, each chained by hashes; the other tables are read models, written
 * in the same transaction, which `checkStore` derives again. `permissions` holds the decisions that belong to no
 * single run: standing grants and their uses, kill switches and prunings.
 *
 * A step appends to `frames` and `extras` and updates the session's row in place. A commit costs the pages it writes
 * to, and a random key costs one page per row. So the frames of a session are not indexed but chained by row (`before`,
 * starting from the session's `last_row`), and the checkpoints and ledger rows of a session are found along that chain.
 *
 * `permissions` names the last permission record before the frame, so a chain without it was cut or replaced.
 * `signature` is made with the anchor key, if the store has one; see `frame-signatures.ts`.
 *
 * A frame does not store `prev`: it is the hash of the row before. An `any` column holds text, or a blob if the text is
 * compressed.
 */
export const TABLES: string = `
create table frames (
  row integer primary key,
  sid integer not null,
  seq integer not null,
  before integer,
  at integer not null,
  writer text not null,
  hash text not null,
  events any not null,
  permissions text,
  signature text
) strict;
create table extras (
  row integer primary key,
  notes text not null,
  texts text not null
) strict;
create table blobs (
  address text not null primary key,
  text any not null
) strict;
create table sessions (
  sid integer primary key,
  session_id text not null unique,
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
  last_seen integer not null,
  last_row integer not null,
  checkpoints integer not null,
  started_at integer not null default 0,
  thread text,
  thread_user text,
  mode text
) strict;
create index sessions_due on sessions (wake_at) where wake_at is not null;
${SESSION_INDEXES}create table checkpoint_ids (
  checkpoint_id text not null primary key,
  row integer not null
) strict, without rowid;
create table gates (
  gate_id text not null primary key,
  session_id text not null references sessions (session_id),
  tenant_id text not null,
  name text not null,
  kind text not null,
  status text not null,
  packet_hash text not null,
  opened_at integer not null,
  expires_at integer not null,
  action text not null default ''
) strict, without rowid;
create index gates_by_session on gates (session_id);
create index gates_by_action on gates (tenant_id, name, action, status, opened_at);
${GATE_INDEXES}create table grant_uses (
  grant_id text not null primary key,
  session_id text not null,
  step_id text not null,
  used_at integer not null
) strict, without rowid;
${GRANT_INDEXES}create table permissions (
  row integer primary key,
  record text not null,
  hash text not null,
  signer text,
  signature text
) strict;
create table permission_head (
  count integer not null,
  hash text not null
) strict;
`;

/** The end of a chain of permission records that is still empty. */
const EMPTY_CHAIN = `insert into permission_head (count, hash) values (0, '${GENESIS}')`;

export const TABLE_NAMES: readonly string[] = [...TABLES.matchAll(/^create table (\w+)/gm)].map(
  ([, name = '']) => name,
);

/** Created by the first driver. It is not part of the journal's format, because its rows are valid only for seconds. */
export const DRIVERS_TABLE: string = `
create table if not exists drivers (
  writer text not null primary key,
  machine text not null,
  pid integer not null,
  since integer not null,
  until integer not null
) strict, without rowid`;

/** Creates the tables. If two processes open a new file at once, the second one finds them done. */
export function createSchema(db: DatabaseSync, file: string): void {
  db.exec('begin immediate');
  try {
    if (!hasSchema(db, file)) {
      db.exec(TABLES);
      db.exec(EMPTY_CHAIN);
      db.exec(`pragma application_id = ${APPLICATION_ID}`);
      db.exec(`pragma user_version = ${SCHEMA_VERSION}`);
    }
    db.exec('commit');
  } catch (error) {
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}

/** The state of a file: empty, ready, or in an older format that must be migrated first. */
export type FileState = 'empty' | 'ready' | 'older';

/** Returns false for an empty file. Rejects a foreign file or a newer version without writing to it. */
export function hasSchema(db: DatabaseSync, file: string): boolean {
  return stateOf(db, file) !== 'empty';
}

export function stateOf(db: DatabaseSync, file: string): FileState {
  // In this order, because another process may be creating the tables; they appear together with the application id.
  const empty = isEmpty(db);
  const application = pragma(db, 'application_id');
  if (empty && application === 0) return 'empty';
  if (application !== APPLICATION_ID)
    throw new Fault('input_invalid', `${file} is the database of another application; name another file`);
  const version = pragma(db, 'user_version');
  if (version === SCHEMA_VERSION) return 'ready';
  if (version >= OLDEST && version < SCHEMA_VERSION) return 'older';
  const reads = `this version of ambit reads format ${SCHEMA_VERSION} and takes those from ${OLDEST} on forward`;
  const fix = version > SCHEMA_VERSION ? 'open it with the version that wrote it, or a newer one' : 'it is too old';
  const why = `${file} has journal format ${version}; ${reads}: ${fix}`;
  throw new Fault('store_version_unsupported', why);
}
