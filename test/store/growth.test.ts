/** The bytes that a step writes do not grow with its run, measured with complete runs on real files. */
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { growth } from '../../bench/durable/growth.ts';
import { freshFile } from '../journal/sqlite-store.ts';

test('a step of a run of 1,000 steps takes as many bytes as a step of a run of 10, within a tenth', {
  timeout: 120_000,
}, async () => {
  const { bytesPerStep10, bytesPerStep1000 } = await growth(dirname(freshFile()), { short: 40, long: 1 });
  expect(bytesPerStep10).toBeGreaterThan(1_000);
  expect(Math.abs(bytesPerStep1000 / bytesPerStep10 - 1)).toBeLessThan(0.1);
});
