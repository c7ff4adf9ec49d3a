/** Forces rare races between two processes. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { freshFile } from '../../../test/journal/sqlite-store.ts';
import { draft } from '../../testing/contracts/journal/draft.ts';
import { sha256 } from '../node/ids-and-hash.ts';
import { commitGroup } from './commit-group.ts';
import { openSqliteConnection } from './connection.ts';
import { useWriteAheadLog } from './open-database.ts';
import { readFrames } from './read.ts';

test('a frame that another process adds during a read is left for the next read', () => {
  const path = freshFile();
  const [reader, writer] = [
    openSqliteConnection(path, { busyTimeoutMs: 1 }),
    openSqliteConnection(path, { busyTimeoutMs: 1 }),
  ];
  const first = draft(sha256);
  const second = draft(sha256, { after: first.frame });
  commitGroup(writer, [first], undefined);
  const get = (session: string): unknown => {
    const head = reader.statements.session.get(session);
    commitGroup(writer, [second], undefined);
    return head;
  };
  const racing = { ...reader.statements, session: { get } as unknown as StatementSync };
  expect(readFrames(racing, sha256, 'sess_1', 1)).toEqual([first.frame]);
  expect(readFrames(reader.statements, sha256, 'sess_1', 1)).toEqual([first.frame, second.frame]);
  reader.db.close();
  writer.db.close();
});

test('a group that cannot be written stores nothing and leaves its transaction open for the close', () => {
  const path = freshFile();
  const connection = openSqliteConnection(path, { busyTimeoutMs: 1 });
  const run = (): never => {
    throw new Error('out of memory');
  };
  const [insertFrame, rollback] = [{ run }, { run }] as unknown as [StatementSync, StatementSync];
  const broken = { ...connection.statements, insertFrame, rollback };
  const append = draft(sha256);
  expect(commitGroup({ ...connection, statements: broken }, [append], undefined)).toMatchObject({ kind: 'untried' });
  expect(connection.db.isTransaction).toBe(true);
  connection.db.close();
  const again = openSqliteConnection(path, { busyTimeoutMs: 1 });
  expect(readFrames(again.statements, sha256, 'sess_1', 1)).toEqual([]);
  expect(commitGroup(again, [append], undefined)).toEqual({ kind: 'settled', outcomes: [null] });
  again.db.close();
});

test('a process that opens a new file waits while another one creates its tables', () => {
  const path = freshFile();
  const [creator, opener] = [new DatabaseSync(path), new DatabaseSync(path)];
  creator.exec('begin immediate');
  const exec = (sql: string): void => {
    if (creator.isTransaction) creator.exec('create table t (x); commit');
    opener.exec(sql);
  };
  const racing = { prepare: (sql: string) => opener.prepare(sql), exec } as DatabaseSync;
  useWriteAheadLog(racing, 5_000);
  expect(opener.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' });
  creator.close();
  opener.close();
});

test('a process that opens a file waits no longer than its busy timeout', () => {
  const path = freshFile();
  const [reader, opener] = [new DatabaseSync(path), new DatabaseSync(path, { timeout: 1 })];
  reader.exec('create table t (x); begin; select * from t');
  expect(() => useWriteAheadLog(opener, 1)).toThrow('database is locked');
  reader.close();
  opener.close();
});
