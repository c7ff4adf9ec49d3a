/** Every value of every row of a small store, and bits of its file, are changed: each change is noticed. */
import { describe, expect, test } from 'vitest';
import { freshFile } from '../journal/sqlite-store.ts';
import { buildOriginal } from './alter.ts';
import { allCells, bitFlips, unnoticedBits, unnoticedBytes } from './alterations.ts';

const TABLES = [
  'blobs',
  'checkpoint_ids',
  'extras',
  'frames',
  'gates',
  'grant_uses',
  'permission_head',
  'permissions',
  'sessions',
];

describe('a small store', () => {
  test('a changed byte of every value of every row is found, or every read gives the same answer', async () => {
    const original = await buildOriginal();
    const cells = allCells(original);
    expect([...new Set(cells.map(({ table }) => table))].sort()).toEqual(TABLES);
    const { unnoticed, found, tried } = await unnoticedBytes(original, freshFile());
    expect(unnoticed).toEqual([]);
    expect(tried).toBe(cells.length);
    // The rest is refused by the tables, or is a value that nothing reads.
    expect(found / tried).toBeGreaterThan(0.9);
  });

  test('100 flipped bits are found, or every read gives the same answer or a fault', async () => {
    const original = await buildOriginal();
    const { unnoticed, found } = await unnoticedBits(
      original,
      freshFile(),
      bitFlips(original, { seed: 1, count: 100 }),
    );
    expect(unnoticed).toEqual([]);
    expect(found).toBeGreaterThan(15);
  });
});
