/** Pruning reads each row a fixed number of times, and other processes write while it is under way. */
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { storeTools } from '../../src/compose.ts';
import { type Blob, toBlob } from '../../src/model/json/blob.ts';
import { draft } from '../../src/testing/contracts/journal/draft.ts';
import { freshFile } from '../journal/sqlite-store.ts';
import { countReads, type Reads, scansIn } from './count-reads.ts';

const FRAMES = 4;
const ENDED = { status: 'completed', terminal_code: 'SUCCESS' } as const;

const mention = (...texts: readonly Blob[]): string =>
  JSON.stringify([{ type: 'time_passed', at: 1, addresses: texts.map(({ address }) => address) }]);

/** Ended sessions. Each frame mentions a text of its own, and every first frame a text that all of them share. */
async function endedSessions(path: string, count: number): Promise<void> {
  const journal = sqliteJournal({ path, hash: sha256 });
  const shared = toBlob(JSON.stringify('of all sessions'), sha256);
  await Promise.all(
    Array.from({ length: count }, async (_, place) => {
      const session = `run_${place}`;
      const blobs = (seq: number): readonly Blob[] => [toBlob(JSON.stringify(`${session} ${seq}`), sha256)];
      let append = draft(sha256, { session, blobs: [...blobs(1), shared], events: mention(...blobs(1), shared) });
      await journal.append(append);
      for (let seq = 2; seq <= FRAMES; seq += 1) {
        const row = seq === FRAMES ? ENDED : {};
        append = draft(sha256, { after: append.frame, blobs: blobs(seq), events: mention(...blobs(seq)), row });
        await journal.append(append);
      }
    }),
  );
  await journal.close();
}

const OPTIONS = { tenant: 'tenant_a', olderThanMs: 0, now: 1_000_000 };

async function pruned(count: number): Promise<Reads & { readonly scans: number }> {
  const path = freshFile();
  await endedSessions(path, count);
  const reads = await countReads(() => {
    expect(storeTools.prune(path, OPTIONS)).toMatchObject({ frames: count * FRAMES, texts: count * FRAMES + 1 });
  });
  const scans = scansIn(path, reads).reduce((sum, { runs }) => sum + runs, 0);
  expect(storeTools.check(path)).toMatchObject({ pruned: count, frames: 0, texts: 0, problems: [] });
  return { ...reads, scans };
}

test('pruning ten times as many sessions reads ten times as many rows, with as many scans', async () => {
  const [few, many] = [await pruned(40), await pruned(400)];
  expect(many.rows / few.rows).toBeLessThan(11);
  expect(many.scans).toBe(few.scans);
});

test('a text that a remaining session mentions is kept, with the texts below it', async () => {
  const path = freshFile();
  await endedSessions(path, 2);
  const journal = sqliteJournal({ path, hash: sha256 });
  const below = toBlob(JSON.stringify('run_0 2'), sha256);
  const above = toBlob(JSON.stringify({ mentions: below.address }), sha256);
  await journal.append(draft(sha256, { session: 'run_open', blobs: [above], events: mention(above) }));
  await journal.append(draft(sha256, { session: 'run_0b', events: mention(above), row: ENDED }));
  expect(storeTools.prune(path, OPTIONS)).toMatchObject({ frames: 2 * FRAMES + 1, texts: 2 * FRAMES });
  expect(await journal.blob(below.address)).toBe(below.text);
  expect(await journal.blob(above.address)).toBe(above.text);
  await journal.close();
});

test('another process writes between the batches of a prune, and keeps the texts that it mentions', async () => {
  const path = freshFile();
  await endedSessions(path, 700);
  // The last text to be removed.
  const last = toBlob(JSON.stringify('run_699 4'), sha256);
  const written = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(new URL('./writing-process.ts', import.meta.url), {
    workerData: { path, written, events: mention(last) },
  });
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  // The first frame is written before the prune begins, so that the writer is ready.
  await new Promise((resolve) => worker.once('message', resolve));
  const result = storeTools.prune(path, OPTIONS);
  Atomics.store(written, 0, 1);
  expect(await ended).toBe(0);
  expect(result.sessions).toHaveLength(700);
  // 2,800 frames are three batches, with a pause after two of them.
  expect(Atomics.load(written, 1)).toBeGreaterThanOrEqual(2);
  const db = new DatabaseSync(path, { readOnly: true });
  expect(db.prepare('select count(*) as count from blobs where address = ?').get(last.address)).toEqual({ count: 1 });
  db.close();
  expect(storeTools.check(path).problems).toEqual([]);
});
