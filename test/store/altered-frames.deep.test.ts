/** The law of `altered.test.ts` for every byte of the frames. */
import { expect, test } from 'vitest';
import { freshFile } from '../journal/sqlite-store.ts';
import { buildOriginal, bytesOf } from './alter.ts';
import { allCells, unnoticedEveryByte } from './alterations.ts';

test('every byte of every value of every frame', { timeout: 600_000 }, async () => {
  const original = await buildOriginal();
  const cells = allCells(original).filter(({ table }) => table === 'frames');
  const { unnoticed, tried } = await unnoticedEveryByte(original, freshFile(), cells);
  expect(unnoticed).toEqual([]);
  expect(tried).toBe(cells.reduce((sum, cell) => sum + bytesOf(cell), 0));
  expect(tried).toBeGreaterThan(15_000);
});
