import { DatabaseSync } from 'node:sqlite';

/** The lower limit: one row per step in the same file format with the same durability. */
export interface RawStore {
  append(session: number, seq: number, payload: Uint8Array): Promise<void>;
  close(): void;
}

interface Waiting {
  readonly session: number;
  readonly seq: number;
  readonly payload: Uint8Array;
  readonly resolve: () => void;
}

/** Commits all rows of one turn of the event loop with one fsync, as the journal does. */
export function rawStore(file: string): RawStore {
  const db = new DatabaseSync(file);
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 4000');
  db.exec('create table steps (session integer, seq integer, payload blob, primary key (session, seq)) strict, without rowid');
  const insert = db.prepare('insert into steps values (?, ?, ?)');
  let waiting: Waiting[] = [];
  const flush = (): void => {
    const group = waiting;
    waiting = [];
    db.exec('begin immediate');
    for (const { session, seq, payload } of group) insert.run(session, seq, payload);
    db.exec('commit');
    for (const { resolve } of group) resolve();
  };
  return {
    append: (session, seq, payload) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ session, seq, payload, resolve });
      return promise;
    },
    close: () => db.close(),
  };
}
