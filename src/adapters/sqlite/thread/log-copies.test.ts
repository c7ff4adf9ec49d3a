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
import { startCopying } from './start-thread.ts';

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

/** Stores these one after the other, and waits until all that was to be copied is. */
async function stored(file: string, holder: ConnectionHolder, appends: readonly Append[]): Promise<void> {
  const copies = logCopies(file);
  for (const append of appends) {
    expect(commitAppends(holder, [append])).toEqual([null]);
    copies.stored([append]);
  }
  await copies.end();
}

const littleOnes = (count: number): readonly Append[] =>
  Array.from({ length: count }, (_, place) => bringing(LITTLE, `sess_${place}`));

test('the log is copied back once there is enough of it, whichever groups it came with', async () => {
  const [few, many] = [opened(), opened()];
  await stored(few.file, few.holder, littleOnes(14));
  await stored(many.file, many.holder, littleOnes(15));
  expect([isLarge(few.file), isLarge(many.file)]).toEqual([false, true]);
});

test('after a copy it is counted anew', async () => {
  const { file, holder } = opened();
  await stored(file, holder, [bringing(MUCH), bringing(MUCH, 'sess_2')]);
  const size = statSync(file).size;
  await stored(file, holder, [bringing(LITTLE, 'sess_3')]);
  expect(statSync(file).size).toBe(size);
  holder.get().db.exec('pragma wal_checkpoint(passive)');
  expect(statSync(file).size).toBeGreaterThan(size);
});

test('a group is stored while the log is copied beside it', async () => {
  const { file, holder } = opened();
  commitAppends(holder, [bringing(MUCH)]);
  const { db } = holder.get();
  db.exec('begin immediate');
  const copies = logCopies(file);
  copies.stored([bringing(MUCH)]);
  await copies.end();
  expect(isLarge(file)).toBe(true);
  db.exec('rollback');
});

test('a log that somebody still reads is copied as far as it goes, and nobody waits', async () => {
  const { file, holder } = opened();
  holder.get();
  const reader = new DatabaseSync(file);
  onTestFinished(() => reader.close());
  reader.exec('begin; select count(*) from frames');
  await stored(file, holder, [bringing(MUCH)]);
  expect(isLarge(file)).toBe(false);
  reader.exec('commit');
  await stored(file, holder, [bringing(MUCH, 'sess_2')]);
  expect(isLarge(file)).toBe(true);
  // It keeps its room: whoever cuts it off waits for everybody who reads.
  expect(isLarge(`${file}-wal`)).toBe(true);
});

test('a thread that cannot be started is done without', async () => {
  const { file, holder } = opened();
  let tried = 0;
  const copies = logCopies(file, () => {
    tried += 1;
    throw new Error('no more threads');
  });
  for (const append of [bringing(MUCH), bringing(MUCH, 'sess_2')]) {
    expect(commitAppends(holder, [append])).toEqual([null]);
    copies.stored([append]);
  }
  await copies.end();
  expect([tried, isLarge(file)]).toEqual([1, false]);
});

test('a thread that dies takes nothing with it', async () => {
  const { file } = opened();
  const started: unknown[] = [];
  const copies = logCopies(file, () => {
    const worker = startCopying({ file: `${file}/no-such-folder/file.db` });
    started.push(worker);
    return worker;
  });
  copies.stored([bringing(MUCH)]);
  copies.stored([bringing(MUCH)]);
  await copies.end();
  copies.stored([bringing(MUCH)]);
  expect(started).toHaveLength(1);
});

test('where little is stored no thread is started', async () => {
  let isStarted = false;
  const copies = logCopies(freshFile(), (orders) => {
    isStarted = true;
    return startCopying(orders);
  });
  copies.stored([bringing(LITTLE)]);
  await copies.end();
  expect(isStarted).toBe(false);
});
