import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { KeyPair } from '../../src/ports/keys.ts';
import { type Original, originalOf } from '../store/alter.ts';
import { buildSmallStore } from '../store/small-store.ts';
import type { Attack, Attempts } from './battery.ts';

/** Runs attacks in a folder of their own, which holds a small store. */
export const overStore = (
  name: string,
  run: (attempts: Attempts, folder: string, original: Original) => Promise<void>,
  key?: KeyPair,
): Attack => ({
  name,
  run: async (attempts) => {
    const folder = mkdtempSync(join(tmpdir(), 'ambit-attack-'));
    try {
      const path = join(folder, 'store.db');
      await buildSmallStore(path, key);
      await run(attempts, folder, await originalOf(path));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

/** A copy of the store, changed with SQL. */
export function edited(folder: string, { path }: Original, sql: string): string {
  const copy = join(folder, 'edited.db');
  for (const end of ['', '-wal', '-shm']) rmSync(`${copy}${end}`, { force: true });
  copyFileSync(path, copy);
  const db = new DatabaseSync(copy, { enableForeignKeyConstraints: false });
  db.exec(sql);
  db.close();
  return copy;
}
