import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { canonicalize } from '../../../model/json/canonical.ts';
import type { Address } from '../../../model/json/hash.ts';
import type { Json } from '../../../model/json/json.ts';
import type { StoredSession } from '../known-sessions.ts';
import type { Statements } from '../statements.ts';
import type { PermissionRecord, Pruning } from './records.ts';

/** The record of a pruning, made from the rows that are kept. Call it when the session's row says that it is pruned. */
export function pruningOf(
  db: DatabaseSync,
  sid: number,
  why: Pick<Pruning, 'record' | 'reason' | 'at' | 'older_than_ms'>,
): Pruning {
  const row = db.prepare('select * from sessions where sid = ?').get(sid) as unknown as StoredSession;
  const { session_id, tenant_id, seq, head_hash } = row;
  return { session_id, tenant_id, sid, seq, head_hash, ...why, kept: keptRows(db, session_id) };
}

/** The address of the rows that a pruned session keeps. Records of older formats were made without a mode. */
export function keptRows(db: DatabaseSync, session: string): Address {
  const rows = Object.values(KEPT).map((sql) =>
    db
      .prepare(sql)
      .all(session)
      .map(({ mode, ...row }) => (mode === null || mode === undefined ? row : { ...row, mode })),
  );
  return `sha256:${hash('sha256', canonicalize(rows as Json), 'hex')}`;
}

const KEPT = {
  session: 'select * from sessions where session_id = ?',
  gates: 'select * from gates where session_id = ? order by gate_id',
  grants: 'select * from grant_uses where session_id = ? order by grant_id',
} as const;

/** The prunings that a connection has read, and the last record that it read. */
interface ReadPrunings {
  row: number;
  readonly sessions: Set<string>;
}

const READ = new WeakMap<PermissionReader, ReadPrunings>();

type PermissionReader = Pick<Statements, 'permissions' | 'permissionHead'>;

/** The sessions whose pruning is recorded. Each record is read once per connection, and its hash is not checked here. */
export function recordedPrunings(statements: PermissionReader): ReadonlySet<string> {
  const read = READ.get(statements) ?? { row: 0, sessions: new Set<string>() };
  READ.set(statements, read);
  for (const stored of statements.permissions.iterate(read.row, Number.MAX_SAFE_INTEGER)) {
    read.row = Number(stored['row']);
    const record = String(stored['record']);
    if (!record.includes('session_pruned')) continue;
    read.sessions.add((JSON.parse(record) as Extract<PermissionRecord, { kind: 'session_pruned' }>).pruning.session_id);
  }
  return read.sessions;
}
