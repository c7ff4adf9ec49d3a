/** Junk on the command line ends with a fault and an exit code, never with a stack trace. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const PROGRAM = new URL('./junk-arguments-process.ts', import.meta.url).pathname;

test('1,500 random command lines raise no raw error', { timeout: 240_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-junk-'));
  try {
    const printed = execFileSync(process.execPath, [PROGRAM, '1', '1500'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(JSON.parse(printed)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
