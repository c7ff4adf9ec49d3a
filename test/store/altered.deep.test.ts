/** The same laws as `altered.test.ts`, for every byte and for 20,000 bits. */
import { expect, test } from 'vitest';
import { freshFile } from '../journal/sqlite-store.ts';
import { originalOf } from './alter.ts';
import { bitFlips, unnoticedBits, unnoticedBytes } from './alterations.ts';
import { buildSmallStore } from './small-store.ts';

const HOUR_MS = 3_600_000;

test('every byte of every value of every row', { timeout: HOUR_MS }, async () => {
  const path = freshFile();
  await buildSmallStore(path);
  const { unnoticed, tried } = await unnoticedBytes(await originalOf(path), freshFile(), 'every byte');
  expect(unnoticed).toEqual([]);
  expect(tried).toBeGreaterThan(20_000);
});

test('20,000 flipped bits', { timeout: HOUR_MS }, async () => {
  const path = freshFile();
  await buildSmallStore(path);
  const original = await originalOf(path);
  const { unnoticed } = await unnoticedBits(original, freshFile(), bitFlips(original, { seed: 20_000, count: 20_000 }));
  expect(unnoticed).toEqual([]);
});
