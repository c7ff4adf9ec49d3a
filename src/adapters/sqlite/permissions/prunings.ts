import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { canonicalize } from '../../../model/json/canonical.ts';
import type { Address } from '../../../model/json/hash.ts';
import type { Json } from '../../../model/json/json.ts';
import type { StoredSession } from '../known-sessions.ts';
import type { Pruning } from './records.ts';

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

/** The address of the rows that a pruned session keeps. */
export function keptRows(db: DatabaseSync, session: string): Address {
  const rows = Object.values(KEPT).map((sql) =>
    db
      .prepare(sql)
      .all(session)
      .map((row) => ({ ...row })),
  );
  return `sha256:${hash('sha256', canonicalize(rows as Json), 'hex')}`;
}

const KEPT = {
  session: 'select * from sessions where session_id = ?',
  gates: 'select * from gates where session_id = ? order by gate_id',
  grants: 'select * from grant_uses where session_id = ? order by grant_id',
} as const;
