/** Proves that a Node.js without SQLite is told in one sentence, and only by whoever opens a file. */
import { expect, test } from 'vitest';
import { Fault } from '../../model/fault.ts';
import { builtin, openDatabase } from './open-database.ts';

test('a Node.js that does not have the module', () => {
  expect(() => builtin(() => undefined)).toThrow(Fault);
  expect(() => builtin(() => undefined)).toThrow(/Node\.js 24\.15 or newer and this is v\d+.*store: 'memory'/);
});

test('a file is opened with the module of this Node.js', () => {
  const db = openDatabase(':memory:', {});
  expect(db.prepare('select 1 as one').get()).toEqual({ one: 1 });
  db.close();
});
