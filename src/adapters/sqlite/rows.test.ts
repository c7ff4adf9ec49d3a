import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Fault } from '../../model/fault/fault.ts';
import { queryThreads } from './listings.ts';
import { unpackText } from './open-database.ts';
import { allRows, firstRow } from './rows.ts';
import { TABLES } from './schema.ts';
import { toFault } from './sqlite-fault.ts';

const HUGE = '9223372036854775807';

test('one integer that is no safe number hides no other row and stays no safe number', () => {
  const db = new DatabaseSync(':memory:');
  const both = db.prepare(`select 1 as value union all select ${HUGE}`);
  expect(allRows<{ value: number }>(both, []).map(({ value }) => Number.isSafeInteger(value))).toEqual([true, false]);
  expect(firstRow(db.prepare(`select ${HUGE} as value`), [])).toEqual({ value: Number(HUGE) });
  expect(allRows(db.prepare('select 1 as value'), [])).toEqual([{ value: 1 }]);
  expect(both.get()).toEqual({ value: 1 });
});

test('such an integer in a row that is read alone is damage of the store', () => {
  const db = new DatabaseSync(':memory:');
  const read = (): unknown => db.prepare(`select ${HUGE} as value`).get();
  expect(read).toThrow(RangeError);
  try {
    read();
  } catch (error) {
    const fault = toFault(error, 'cannot read');
    expect(Fault.is(fault) && fault.code).toBe('store_corrupt');
  }
});

test('a thread with such a time hides no other thread', () => {
  const db = new DatabaseSync(':memory:');
  db.exec(TABLES);
  for (const [sid, time] of [HUGE, '5'].entries())
    db.exec(`insert into sessions values
      (${sid}, 's${sid}', 'a', 'w', 'i', 'paused', 'n', 1, 'h', ${time}, null, null, 1, 1, 0, 1, 't${sid}', 'u', 'standard')`);
  expect(queryThreads(db, { limit: 1 }).map(({ thread }) => thread)).toEqual(['t0']);
  expect(queryThreads(db, {}).map(({ thread }) => thread)).toEqual(['t0', 't1']);
});

test('a stored text unpacks to a limited size', () => {
  const bomb = zstdCompressSync(Buffer.alloc(256 * 1024 * 1024 + 1));
  expect(bomb.length).toBeLessThan(30_000);
  expect(() => unpackText(bomb)).toThrow(/larger than 268435456 bytes/);
});
