/** A thread that writes is no reason for a process to stay, and appends that it was given are. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/sha256.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { freshFile } from './sqlite-store.ts';

const PROGRAM = fileURLToPath(new URL('./leaving-process.ts', import.meta.url));
const APPENDS = 700;

test.each(['idle', 'waiting', 'closing'])('a process leaves by itself: %s', async (leaving) => {
  const path = freshFile();
  const args = [PROGRAM, path, String(APPENDS), leaving];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 50_000 });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(new Set(stdout.trim().split('\n')).size).toBe(APPENDS);
  const journal = sqliteJournal({ path, hash: sha256 });
  expect(await journal.list({ limit: APPENDS })).toHaveLength(APPENDS);
  await journal.close();
});
