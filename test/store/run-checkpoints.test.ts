/** The checkpoints of a run in its store file: none is replaced, none changes, and an altered one is not read. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { toBlob } from '../../src/model/json/blob.ts';
import type { Journal } from '../../src/ports/journal/journal.ts';
import type { CheckpointRow } from '../../src/ports/journal/rows.ts';
import { draft } from '../../src/testing/contracts/journal/draft.ts';
import { freshFile } from '../journal/sqlite-store.ts';
import { verifies } from '../requirements/verifies.ts';
import { operator, planOf, type Rig, rig } from '../runs/rig.ts';

interface GatedRun {
  readonly path: string;
  readonly journal: Journal;
  readonly bench: Rig;
  readonly runId: string;
  /** The checkpoints that the run has stored so far, oldest first. */
  readonly rows: readonly CheckpointRow[];
  approve(): Promise<unknown>;
}

/** A run in a store file that waits at a gate after its first step. */
async function gatedRun(): Promise<GatedRun> {
  const path = freshFile();
  const store = sqliteJournal({ path, hash: sha256 });
  const rows: CheckpointRow[] = [];
  const journal: Journal = {
    ...store,
    append: async (append) => {
      const appended = await store.append(append);
      rows.push(...append.projections.checkpoints);
      return appended;
    },
  };
  const bench = rig({
    tools: {
      look: {},
      pay: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_PAY'], produces: ['done'] },
    },
    plans: [
      planOf([
        { id: 'a', tool: 'look' },
        { id: 'b', tool: 'pay', requires: ['GATE_PAY'], depends_on: ['a'] },
      ]),
    ],
    world: { journal },
  });
  const { runId, pending } = await bench.invoke();
  const [gate] = pending;
  const decided = { packetHash: gate?.packetHash ?? '', credential: operator('lead'), reason: 'ok' };
  return {
    path,
    journal,
    bench,
    runId,
    rows,
    approve: () => bench.settle(bench.runtime.approve(gate?.gateId ?? '', decided)),
  };
}

const idsOf = (rows: readonly CheckpointRow[]): readonly string[] => rows.map(({ checkpoint_id }) => checkpoint_id);
const textsOf = (journal: Journal, ids: readonly string[]): Promise<readonly string[]> =>
  Promise.all(ids.map(async (id) => (await journal.checkpoint(id)).text));

verifies('checkpoint:store:append-only', 'a run adds checkpoints, and none can be replaced', async () => {
  const { journal, runId, rows, approve } = await gatedRun();
  const before = idsOf(rows);
  const texts = await textsOf(journal, before);
  const forged = toBlob('{"forged":true}', sha256);
  const head = (await journal.load(runId)).at(-1);
  if (head === undefined) throw new Error('the run stored nothing');
  for (const checkpoint_id of before) {
    const row = { checkpoint_id, session_id: runId, seq: head.seq + 1, address: forged.address };
    const overwriting = draft(sha256, { after: head, blobs: [forged], rows: { checkpoints: [row] } });
    await expect(journal.append(overwriting)).rejects.toMatchObject({ code: 'checkpoint_exists' });
  }
  await approve();
  const after = idsOf(rows);
  expect(after.slice(0, before.length)).toEqual(before);
  expect([before.length, after.length, new Set(after).size]).toEqual([2, 4, 4]);
  expect(await textsOf(journal, before)).toEqual(texts);
  await journal.close();
});

verifies('checkpoint:store:immutable', 'a checkpoint reads the same after every later turn of its run', async () => {
  const { journal, bench, runId, rows, approve } = await gatedRun();
  const ids = idsOf(rows);
  const before = await textsOf(journal, ids);
  const read = await journal.checkpoint(ids[0] ?? '');
  Object.assign(read, { text: '{}', row: { ...read.row, seq: 99 } });
  await approve();
  expect(await textsOf(journal, ids)).toEqual(before);
  expect((await journal.checkpoint(ids[0] ?? '')).row).toEqual(rows[0]);
  const { state_checkpoints } = await bench.runtime.records.trace(runId);
  expect(state_checkpoints.map(({ checkpoint_id }) => checkpoint_id)).toEqual(idsOf(rows));
  await journal.close();
});

verifies('checkpoint:store:content-addressed', 'an altered checkpoint of a run is not read', async () => {
  const { path, journal, runId, rows, approve } = await gatedRun();
  await approve();
  const texts = await textsOf(journal, idsOf(rows));
  expect(texts.map((text) => `sha256:${sha256(text)}`)).toEqual(rows.map(({ address }) => address));
  await journal.close();
  const bytes = readFileSync(path);
  const words = '"critic_verdict":"ok"';
  for (let at = bytes.indexOf(words); at >= 0; at = bytes.indexOf(words, at + 1)) bytes[at + 1] = 'C'.charCodeAt(0);
  writeFileSync(path, bytes);
  const again = sqliteJournal({ path, hash: sha256 });
  await expect(again.checkpoint(rows[0]?.checkpoint_id ?? '')).rejects.toMatchObject({ code: 'checkpoint_corrupt' });
  const { runtime } = rig({ tools: { finish: { produces: ['done'] } }, world: { journal: again } });
  const { damaged } = await runtime.records.verify(runId);
  expect(damaged).toMatchObject([{ what: 'checkpoint', run_id: runId, place: rows[0]?.checkpoint_id }]);
  await again.close();
});
