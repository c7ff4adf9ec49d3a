import { deepEqual, equal } from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { ROOT } from '../markdown.ts';
import type { PageFixture } from '../page.ts';

/** The page shows a test of this repository, which vitest runs beside the repository's own tests. */
export const run: PageFixture = async ({ run: runProgram, read }) => {
  deepEqual(Object.keys(JSON.parse(read('json', 1))), ['id', 'file', 'from', 'to', 'test']);
  symlinkSync(`${ROOT}/test`, 'test');
  const { exit, stdout, stderr } = await runProgram(1, ['vitest', 'run', '--root', '.']);
  equal(exit, 0, `${stdout}${stderr}`);
};
