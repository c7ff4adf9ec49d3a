/** The origin of a fork, which takes one frame to read for a run that is no fork. */
import { expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import type { Journal } from '../../src/ports/journal/journal.ts';
import { freshFile } from '../journal/sqlite-store.ts';
import { PAYING, paid } from './paid.ts';

/** A journal that counts the frames it returns. */
function countedFrames(journal: Journal): { readonly journal: Journal; read(): number } {
  let frames = 0;
  return {
    read: () => frames,
    journal: {
      ...journal,
      first: async (session) => {
        frames += 1;
        return await journal.first(session);
      },
      load: async (session, from) => {
        const found = await journal.load(session, from);
        frames += found.length;
        return found;
      },
    },
  };
}

test('reads only the first frame of a run that is no fork', async () => {
  const counted = countedFrames(sqliteJournal({ path: freshFile(), hash: sha256 }));
  const { bench, runId } = await paid({ ...PAYING, world: { journal: counted.journal } });
  expect((await bench.runtime.records.frames(runId)).length).toBeGreaterThan(3);
  const before = counted.read();
  expect(await bench.runtime.records.forkOf(runId)).toBeNull();
  expect(counted.read() - before).toBe(1);
  await bench.runtime.close();
});

test('reports the parent and the checkpoint of a fork and of a fork of it', async () => {
  const { bench, runId } = await paid();
  const lastStep = async (of: string): Promise<string> =>
    (await bench.runtime.records.trace(of)).state_checkpoints.findLast(({ judged }) => judged === 'step')
      ?.checkpoint_id ?? '';
  const at = await lastStep(runId);
  const child = await bench.settle(bench.runtime.records.fork(runId, { at }));
  expect(await bench.runtime.records.forkOf(child.runId)).toEqual({ runId, checkpointId: at, simulated: true });
  const again = await lastStep(child.runId);
  const grandchild = await bench.settle(bench.runtime.records.fork(child.runId, { at: again }));
  expect(await bench.runtime.records.forkOf(grandchild.runId)).toMatchObject({
    runId: child.runId,
    checkpointId: again,
  });
  expect(await bench.runtime.records.forkOf(runId)).toBeNull();
  await expect(bench.runtime.records.forkOf('run_none')).rejects.toMatchObject({ code: 'session_not_found' });
});
