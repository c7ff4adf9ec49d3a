/** The law of `altered.test.ts` for 20,000 flipped bits. */
import { expect, test } from 'vitest';
import { freshFile } from '../journal/sqlite-store.ts';
import { buildOriginal, isUnusedBit } from './alter.ts';
import { bitFlips, unnoticedBits } from './alterations.ts';

test('20,000 flipped bits', { timeout: 600_000 }, async () => {
  const original = await buildOriginal();
  const bits = bitFlips(original, { seed: 20_000, count: 20_000 });
  const { unnoticed, tried, found } = await unnoticedBits(original, freshFile(), bits, isUnusedBit);
  expect(unnoticed).toEqual([]);
  expect(tried).toBe(20_000);
  expect(found).toBeGreaterThan(4_000);
});
