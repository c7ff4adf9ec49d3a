import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { freshFile } from '../../../test/journal/sqlite-store.ts';
import { patienceOf, patient } from './patience.ts';

const WHOLE_MS = 100;

function held(): { readonly db: DatabaseSync; fail(): unknown } {
  const path = freshFile();
  const [holder, db] = [new DatabaseSync(path), new DatabaseSync(path, { timeout: WHOLE_MS })];
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

test('whoever waited in vain waits shortly, and wholly again once something could be done', () => {
  const { db, fail } = held();
  const patience = patienceOf(db, WHOLE_MS, patient());
  patience.spend(fail());
  patience.renew();
  expect(waitOf(db)).toBeLessThan(WHOLE_MS);
  patience.regain();
  expect(waitOf(db)).toBe(WHOLE_MS);
});

test('after as long as a whole wait takes the next one is whole, however many were tried in between', () => {
  const { db, fail } = held();
  const patience = patienceOf(db, WHOLE_MS, patient());
  const begun = performance.now();
  patience.spend(fail());
  const spent = performance.now();
  while (performance.now() - spent < 1.5 * WHOLE_MS) patience.spend(fail());
  patience.renew();
  expect(waitOf(db)).toBe(WHOLE_MS);
  expect(performance.now() - begun).toBeGreaterThan(2 * WHOLE_MS);
});

test('what fails for another reason costs no patience', () => {
  const { db } = held();
  const patience = patienceOf(db, WHOLE_MS, patient());
  patience.spend(new Error('the disk failed'));
  expect(waitOf(db)).toBe(WHOLE_MS);
});

test('what one connection of a journal has waited for in vain another one does not wait for as long', () => {
  const { db, fail } = held();
  const spent = patient();
  const [one, other] = [patienceOf(db, WHOLE_MS, spent), new DatabaseSync(':memory:', { timeout: WHOLE_MS })];
  onTestFinished(() => other.close());
  const others = patienceOf(other, WHOLE_MS, spent);
  one.spend(fail());
  others.renew();
  expect(waitOf(other)).toBeLessThan(WHOLE_MS);
  others.regain();
  one.renew();
  expect([waitOf(db), waitOf(other)]).toEqual([WHOLE_MS, WHOLE_MS]);
});
