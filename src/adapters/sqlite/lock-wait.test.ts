import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { freshFile } from '../../../test/journal/sqlite-store.ts';
import { lockWaitOf, newSharedLockWait } from './connection.ts';

const FULL_MS = 100;

function lockedFile(): { readonly db: DatabaseSync; fail(): unknown } {
  const path = freshFile();
  const [holder, db] = [new DatabaseSync(path), new DatabaseSync(path, { timeout: FULL_MS })];
  onTestFinished(() => {
    holder.close();
    db.close();
  });
  holder.exec('begin immediate');
  return {
    db,
    fail: () => {
      try {
        db.exec('begin immediate');
      } catch (error) {
        return error;
      }
      throw new Error('nobody holds the file');
    },
  };
}

const waitOf = (db: DatabaseSync): unknown => db.prepare('pragma busy_timeout').get()?.['timeout'];

test('waits briefly after a failed wait, and fully again after a success', () => {
  const { db, fail } = lockedFile();
  const patience = lockWaitOf(db, FULL_MS, newSharedLockWait());
  patience.onFailure(fail());
  patience.beforeWait();
  expect(waitOf(db)).toBeLessThan(FULL_MS);
  patience.onSuccess();
  expect(waitOf(db)).toBe(FULL_MS);
});

test('waits fully again after the busy timeout, regardless of short waits in between', () => {
  const { db, fail } = lockedFile();
  const patience = lockWaitOf(db, FULL_MS, newSharedLockWait());
  const begun = performance.now();
  patience.onFailure(fail());
  const spent = performance.now();
  while (performance.now() - spent < 1.5 * FULL_MS) patience.onFailure(fail());
  patience.beforeWait();
  expect(waitOf(db)).toBe(FULL_MS);
  expect(performance.now() - begun).toBeGreaterThan(2 * FULL_MS);
});

test('does not shorten the wait after other errors', () => {
  const { db } = lockedFile();
  const patience = lockWaitOf(db, FULL_MS, newSharedLockWait());
  patience.onFailure(new Error('the disk failed'));
  expect(waitOf(db)).toBe(FULL_MS);
});

test('shares the short wait between the connections of a journal', () => {
  const { db, fail } = lockedFile();
  const spent = newSharedLockWait();
  const [one, other] = [lockWaitOf(db, FULL_MS, spent), new DatabaseSync(':memory:', { timeout: FULL_MS })];
  onTestFinished(() => other.close());
  const others = lockWaitOf(other, FULL_MS, spent);
  one.onFailure(fail());
  others.beforeWait();
  expect(waitOf(other)).toBeLessThan(FULL_MS);
  others.onSuccess();
  one.beforeWait();
  expect([waitOf(db), waitOf(other)]).toEqual([FULL_MS, FULL_MS]);
});
