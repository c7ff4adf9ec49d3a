/** A writer thread that has received no append does not keep a process alive. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { freshFile } from './sqlite-store.ts';

const PROGRAM = fileURLToPath(new URL('./unsendable-process.ts', import.meta.url));

test('a process exits by itself when its only append could not be sent', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, freshFile()], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'input_invalid', stderr: '' });
});
