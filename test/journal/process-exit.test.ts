/** A writer thread does not keep a process alive; unfinished appends do. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { freshFile } from './sqlite-store.ts';

const PROGRAM = fileURLToPath(new URL('./exit-process.ts', import.meta.url));
const LEAVING = ['idle', 'waiting', 'closing'].flatMap((leaving) =>
  [1, 700].map((appends) => [leaving, appends] as const),
);

test.each(LEAVING)('a process exits by itself: %s, %i appends', async (leaving, appends) => {
  const path = freshFile();
  const args = [PROGRAM, path, String(appends), leaving];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 50_000 });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(new Set(stdout.trim().split('\n')).size).toBe(appends);
  const journal = sqliteJournal({ path, hash: sha256 });
  expect(await journal.list({ limit: appends })).toHaveLength(appends);
  await journal.close();
});
