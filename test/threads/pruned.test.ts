/** A thread whose early runs were pruned is still read, continued and exported. */
import { expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { storeTools } from '../../src/compose.ts';
import { freshFile } from '../journal/sqlite-store.ts';
import { mailbox } from '../runs/provenance/bench.ts';
import { planOf, START_MS } from '../runs/rig.ts';

const NOTE = planOf([{ id: 'n', tool: 'note' }]);
const DAY_MS = 86_400_000;
const thread = 'th_1';
const tenant = 'tenant_a';

test('the export has the runs that are left, and names the pruned ones', async () => {
  const path = freshFile();
  const journal = sqliteJournal({ path, hash: sha256 });
  const bench = mailbox([NOTE, NOTE], {}, { world: { journal } });
  const first = await bench.invoke({ goal: { statement: 'Note it' }, thread });
  bench.clock.advanceTo(START_MS + 5 * DAY_MS);
  const second = await bench.invoke({ goal: { statement: 'Note it too' }, thread });
  await journal.close();
  const pruned = storeTools.prune(path, { tenant, olderThanMs: 2 * DAY_MS, now: START_MS + 5 * DAY_MS });
  expect(pruned.sessions).toEqual([first.runId]);

  const later = sqliteJournal({ path, hash: sha256 });
  const { runtime } = mailbox([NOTE], {}, { world: { journal: later } });
  const exported = await runtime.threads.export(thread, { tenant });
  expect(exported.runs.map(({ runId }) => runId)).toEqual([second.runId]);
  expect(exported.pruned).toEqual([first.runId]);
  expect(exported.thread.runs.map(({ runId }) => runId)).toEqual([first.runId, second.runId]);
  expect(exported.thread.messages[0]).toMatchObject({ text: 'Note it' });
  await later.close();
});
