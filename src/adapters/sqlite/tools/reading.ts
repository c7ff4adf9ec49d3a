import { existsSync } from 'node:fs';
import { Fault } from '../../../model/fault.ts';
import type { Connection } from '../connection.ts';
import { openConnection } from '../connection.ts';

/** A tool is told a file that is there; it makes none. */
export function withFile<T>(file: string, access: 'read' | 'write', use: (connection: Connection) => T): T {
  if (!existsSync(file)) throw new Fault('store_unavailable', `there is no file ${file}`);
  const connection = openConnection(file, { busyTimeoutMs: 5_000, readOnly: access === 'read' });
  try {
    return use(connection);
  } finally {
    connection.db.close();
  }
}

export interface ListedSession {
  readonly sid: number;
  readonly session_id: string;
  readonly tenant_id: string;
  readonly seq: number;
  readonly head_hash: `sha256:${string}`;
  readonly last_row: number;
}

export function sessionsIn({ db }: Connection): readonly ListedSession[] {
  const rows = db
    .prepare('select sid, session_id, tenant_id, seq, head_hash, last_row from sessions order by sid')
    .all();
  return rows as unknown as readonly ListedSession[];
}
