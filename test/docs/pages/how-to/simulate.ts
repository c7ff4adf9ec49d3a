import { equal } from 'node:assert/strict';
import type { PageFixture } from '../../page.ts';

export const run: PageFixture = async (page) => {
  const { broken, frames } = await page.load(1);
  equal(broken, undefined);
  equal(frames.length > 0, true);
  const { exit, stdout } = await page.run(2, ['node']);
  equal(exit, 0);
  equal(stdout, '{"code":"SUCCESS","waits":null}\n');
  await page.load(3);
};
