import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { freshFile } from '../../../../test/journal/sqlite-store.ts';
import { toBlob } from '../../../model/json/blob.ts';
import type { Append } from '../../../ports/journal/journal.ts';
import { draft } from '../../../testing/contracts/journal/draft.ts';
import { sha256 } from '../../node/ids-and-hash.ts';
import { commitAppends } from '../commit-group.ts';
import { type ConnectionHolder, holdConnection } from '../connection.ts';
import { logCopies } from './log-copies.ts';
import { startCopying } from './messages.ts';

const LITTLE = 100_000;
const MUCH = 1_600_000;
/** Compressed hexadecimal digits take half their length. */
const HALF = 500_000;

/** A session whose first frame carries a text of this length. */
function appendWithText(length: number, session = 'sess_1'): Append {
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

/** Stores the appends one after the other and waits for all requested copies. */
async function storeAndCopy(file: string, holder: ConnectionHolder, appends: readonly Append[]): Promise<void> {
  const copies = logCopies(file);
  for (const append of appends) {
    expect(commitAppends(holder, [append])).toEqual([null]);
    copies.stored([append]);
  }
  await copies.end();
}

const smallAppends = (count: number): readonly Append[] =>
  Array.from({ length: count }, (_, place) => appendWithText(LITTLE, `sess_${place}`));

test('copies the log once it is long enough, across groups', async () => {
  const [few, many] = [opened(), opened()];
  await storeAndCopy(few.file, few.holder, smallAppends(14));
  await storeAndCopy(many.file, many.holder, smallAppends(15));
  expect([isLarge(few.file), isLarge(many.file)]).toEqual([false, true]);
});

test('counts from zero after a copy', async () => {
  const { file, holder } = opened();
  await storeAndCopy(file, holder, [appendWithText(MUCH), appendWithText(MUCH, 'sess_2')]);
  const size = statSync(file).size;
  await storeAndCopy(file, holder, [appendWithText(LITTLE, 'sess_3')]);
  expect(statSync(file).size).toBe(size);
  holder.get().db.exec('pragma wal_checkpoint(passive)');
  expect(statSync(file).size).toBeGreaterThan(size);
});

test('copies the log while a group is being stored', async () => {
  const { file, holder } = opened();
  commitAppends(holder, [appendWithText(MUCH)]);
  const { db } = holder.get();
  db.exec('begin immediate');
  const copies = logCopies(file);
  copies.stored([appendWithText(MUCH)]);
  await copies.end();
  expect(isLarge(file)).toBe(true);
  db.exec('rollback');
});

test('copies as much of the log as readers allow, without waiting for them', async () => {
  const { file, holder } = opened();
  holder.get();
  const reader = new DatabaseSync(file);
  onTestFinished(() => reader.close());
  reader.exec('begin; select count(*) from frames');
  await storeAndCopy(file, holder, [appendWithText(MUCH)]);
  expect(isLarge(file)).toBe(false);
  reader.exec('commit');
  await storeAndCopy(file, holder, [appendWithText(MUCH, 'sess_2')]);
  expect(isLarge(file)).toBe(true);
  // The log file keeps its size, because truncating it would wait for all readers.
  expect(isLarge(`${file}-wal`)).toBe(true);
});

test('works without the thread if it cannot be started', async () => {
  const { file, holder } = opened();
  let tried = 0;
  const copies = logCopies(file, () => {
    tried += 1;
    throw new Error('no more threads');
  });
  for (const append of [appendWithText(MUCH), appendWithText(MUCH, 'sess_2')]) {
    expect(commitAppends(holder, [append])).toEqual([null]);
    copies.stored([append]);
  }
  await copies.end();
  expect([tried, isLarge(file)]).toEqual([1, false]);
});

test('is not affected by the death of the thread', async () => {
  const { file } = opened();
  const started: unknown[] = [];
  const copies = logCopies(file, () => {
    const worker = startCopying({ file: `${file}/no-such-folder/file.db` });
    started.push(worker);
    return worker;
  });
  copies.stored([appendWithText(MUCH)]);
  copies.stored([appendWithText(MUCH)]);
  await copies.end();
  copies.stored([appendWithText(MUCH)]);
  expect(started).toHaveLength(1);
});

test('starts no thread if little is stored', async () => {
  let isStarted = false;
  const copies = logCopies(freshFile(), (orders) => {
    isStarted = true;
    return startCopying(orders);
  });
  copies.stored([appendWithText(LITTLE)]);
  await copies.end();
  expect(isStarted).toBe(false);
});
