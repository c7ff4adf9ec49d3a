/** A file that another process has locked: a writer waits once and then fails. */
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import type { StoreWriter } from '../../src/model/run/store-name.ts';
import { freshFile } from '../journal/sqlite-store.ts';
import { planOf, REQUEST, rig } from '../runs/rig.ts';

/** Long compared with the rest of the test on a busy machine. */
const WAIT_MS = 3_000;

test.each<StoreWriter>(['inline', 'thread'])(
  'a run on a locked file fails after one wait, and starts once the file is free: %s',
  { timeout: 60_000 },
  async (writer) => {
    const path = freshFile();
    const journal = sqliteJournal({ path, hash: sha256, writer, busyTimeoutMs: WAIT_MS });
    const other = new DatabaseSync(path);
    onTestFinished(async () => {
      other.close();
      await journal.close();
    });
    const { runtime } = rig({
      tools: { finish: { produces: ['done'] } },
      plans: [planOf([{ id: 's1', tool: 'finish' }])],
      world: { journal },
    });
    other.exec('begin immediate');
    const begun = performance.now();
    await expect(runtime.invoke(REQUEST)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining(`cannot write to ${path}: another process keeps it locked`),
    });
    expect(performance.now() - begun).toBeLessThan(2 * WAIT_MS);
    other.exec('rollback');
    expect(await runtime.invoke(REQUEST)).toMatchObject({ status: 'completed' });
  },
);
