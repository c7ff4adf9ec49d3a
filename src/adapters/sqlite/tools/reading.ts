import { existsSync } from 'node:fs';
import { Fault } from '../../../model/fault.ts';
import type { Connection } from '../connection.ts';
import { openConnection } from '../connection.ts';
import { openDatabase } from '../open-database.ts';

/** A tool is told a file that is there; it makes none. */
export function withFile<T>(file: string, access: 'read' | 'write', use: (connection: Connection) => T): T {
  if (!existsSync(file)) throw new Fault('store_unavailable', `there is no file ${file}`);
  if (access === 'read') undoHalfDone(file);
  const connection = openConnection(file, { busyTimeoutMs: 5_000, readOnly: access === 'read' });
  try {
    return use(connection);
  } finally {
    connection.db.close();
  }
}

/** What a process left half done that died while it wrote is undone by whoever opens the file next and may write. */
function undoHalfDone(file: string): void {
  const db = openDatabase(file, { timeout: 5_000 });
  try {
    db.prepare('select count(*) from sqlite_schema').get();
  } catch {
    // Whatever is wrong with the file is said when it is opened for its purpose.
  } finally {
    db.close();
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
