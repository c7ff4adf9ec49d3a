/** Tests that a Node.js without SQLite gives a clear message, and only when a file is opened. */
import { expect, test } from 'vitest';
import { Fault } from '../../model/fault/fault.ts';
import { builtin, openDatabase } from './open-database.ts';

test('reports a Node.js without the module', () => {
  expect(() => builtin(() => undefined)).toThrow(Fault);
  expect(() => builtin(() => undefined)).toThrow(/Node\.js 24\.15 or newer and this is v\d+.*store: 'memory'/);
});

test('opens a file with the module of this Node.js', () => {
  const db = openDatabase(':memory:', {});
  expect(db.prepare('select 1 as one').get()).toEqual({ one: 1 });
  db.close();
});
