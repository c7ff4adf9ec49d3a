import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { freshFile } from '../../../../test/journal/sqlite-store.ts';
import { toBlob } from '../../../model/blob.ts';
import type { Append } from '../../../ports/journal.ts';
import { draft } from '../../../testing/contracts/journal/draft.ts';
import { sha256 } from '../../node/sha256.ts';
import { commitAppends } from '../commit-appends.ts';
import { type ConnectionHolder, holdConnection } from '../connection.ts';
import { logCopies } from './log-copies.ts';

const LITTLE = 100_000;
const MUCH = 1_600_000;
/** Hexadecimal digits take half the room when they are packed. */
const HALF = 500_000;

/** A session whose first frame brings so much text along. */
function bringing(length: number, session = 'sess_1'): Append {
  const text = Array.from({ length: Math.ceil(length / 64) }, (_, place) => sha256(`${session} ${place}`)).join('');
  return { ...draft(sha256, { session }), blobs: [toBlob(JSON.stringify(text.slice(0, length)), sha256)] };
}

function opened(): { readonly file: string; readonly holder: ConnectionHolder } {
  const file = freshFile();
  const holder = holdConnection(file, { busyTimeoutMs: 1 });
  onTestFinished(() => holder.close());
  return { file, holder };
}

const isLarge = (file: string): boolean => statSync(file).size > HALF;

test('the log is copied back once there is enough of it, whichever groups it came with', () => {
  const { file, holder } = opened();
  const copyLog = logCopies(holder);
  const groups = Array.from({ length: 16 }, (_, place) => [bringing(LITTLE, `sess_${place}`)]);
  const copied = groups.map((group) => {
    expect(commitAppends(holder, group)).toEqual([null]);
    copyLog(group);
    return isLarge(file);
  });
  expect(copied).toEqual(groups.map((_, place) => place >= 14));
});

test('after a copy it is counted anew', () => {
  const { file, holder } = opened();
  const copyLog = logCopies(holder);
  for (const append of [bringing(MUCH), bringing(LITTLE, 'sess_2')]) {
    commitAppends(holder, [append]);
    copyLog([append]);
  }
  const size = statSync(file).size;
  holder.get().db.exec('pragma wal_checkpoint(passive)');
  expect(statSync(file).size).toBeGreaterThan(size);
});

test('a log that somebody still reads is copied as far as it goes, and nobody waits', () => {
  const { file, holder } = opened();
  const copyLog = logCopies(holder);
  holder.get();
  const reader = new DatabaseSync(file);
  onTestFinished(() => reader.close());
  reader.exec('begin; select count(*) from frames');
  const append = bringing(MUCH);
  commitAppends(holder, [append]);
  copyLog([append]);
  expect(isLarge(file)).toBe(false);
  reader.exec('commit');
  const next = bringing(MUCH, 'sess_2');
  expect(commitAppends(holder, [next])).toEqual([null]);
  copyLog([next]);
  expect(isLarge(file)).toBe(true);
  // It keeps its room: whoever cuts it off waits for everybody who reads.
  expect(isLarge(`${file}-wal`)).toBe(true);
});

test('what hinders the copying does not end the thread', () => {
  const { file, holder } = opened();
  const append = bringing(MUCH);
  commitAppends(holder, [append]);
  const { db } = holder.get();
  db.exec('begin immediate');
  expect(() => db.exec('pragma wal_checkpoint(passive)')).toThrow('locked');
  logCopies(holder)([append]);
  db.exec('rollback');
  expect(isLarge(file)).toBe(false);
  expect(commitAppends(holder, [bringing(LITTLE, 'sess_2')])).toEqual([null]);
});

test('without a connection there is nothing to copy', () => {
  const { holder } = opened();
  logCopies(holder)([bringing(MUCH)]);
  expect(holder.current()).toBeNull();
});
