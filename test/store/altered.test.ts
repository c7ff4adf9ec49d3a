/** Every value of every row of a small store, and bits of its file, are changed: each change is noticed. */
import { describe, expect, test } from 'vitest';
import { freshFile } from '../journal/sqlite-store.ts';
import { type Original, originalOf } from './alter.ts';
import { allCells, bitFlips, unnoticedBits, unnoticedBytes } from './alterations.ts';
import { buildSmallStore } from './small-store.ts';

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

async function smallStore(): Promise<Original> {
  const path = freshFile();
  await buildSmallStore(path);
  return await originalOf(path);
}

describe('a small store', () => {
  test('a changed byte of every value of every row is found, or every read gives the same answer', async () => {
    const original = await smallStore();
    const cells = allCells(original);
    expect([...new Set(cells.map(({ table }) => table))].sort()).toEqual(TABLES);
    const { unnoticed, found, tried } = await unnoticedBytes(original, freshFile(), 'one byte of each');
    expect(unnoticed).toEqual([]);
    expect(tried).toBe(cells.length);
    // The rest is refused by the tables, or is a value that nothing reads.
    expect(found / tried).toBeGreaterThan(0.9);
  });

  test('100 flipped bits are found, or every read gives the same answer or a fault', async () => {
    const original = await smallStore();
    const { unnoticed, found } = await unnoticedBits(
      original,
      freshFile(),
      bitFlips(original, { seed: 1, count: 100 }),
    );
    expect(unnoticed).toEqual([]);
    expect(found).toBeGreaterThan(15);
  });
});
