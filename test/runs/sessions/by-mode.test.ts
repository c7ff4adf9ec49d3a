/** Runs can be listed by the mode in which they were asked for. */
import { expect, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { storeTools } from '../../../src/compose.ts';
import type { SessionQuery } from '../../../src/session/session-list.ts';
import { freshFile } from '../../journal/sqlite-store.ts';
import { planOf, type Rig, type RigOptions, rig } from '../rig.ts';

const LONG = { mode: 'long_running', runtime: { max_session_duration_ms: 3_600_000 } };
const PLAN = planOf([{ id: 'a', tool: 'finish' }]);
const OPTIONS: RigOptions = { tools: { finish: { produces: ['done'] } }, plans: [PLAN, PLAN, PLAN, PLAN] };

/** Two of each kind, in turn. */
async function fourRuns(bench: Rig): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const changes of [{}, LONG, {}, LONG]) {
    ids.push((await bench.invoke(changes)).runId);
    bench.clock.advanceTo(bench.clock.nowMs() + 1_000);
  }
  return ids;
}

const listed = async ({ runtime }: Rig, query: SessionQuery): Promise<readonly string[]> =>
  (await runtime.sessions(query)).map(({ runId }) => runId);

test.each([
  ['in memory', () => memoryJournal({ hash: sha256 })],
  ['in a file', () => sqliteJournal({ path: freshFile(), hash: sha256 })],
])('those of one mode, in the usual order and as many as are asked for: %s', async (_name, open) => {
  const bench = rig({ ...OPTIONS, world: { journal: open() } });
  const [one, two, three, four] = await fourRuns(bench);
  expect(await listed(bench, { mode: 'long_running' })).toEqual([four, two]);
  expect(await listed(bench, { mode: 'standard', order: 'oldest' })).toEqual([one, three]);
  expect(await listed(bench, { mode: 'standard', limit: 1 })).toEqual([three]);
  expect(await listed(bench, { mode: 'standard', statuses: ['failed'] })).toEqual([]);
  expect(await listed(bench, {})).toHaveLength(4);
  await expect(bench.runtime.sessions({ mode: 'quick' as never })).rejects.toMatchObject({ code: 'input_invalid' });
  await bench.runtime.close();
});

test('of a run whose frames are gone nobody can tell', async () => {
  const path = freshFile();
  const bench = rig({ ...OPTIONS, world: { journal: sqliteJournal({ path, hash: sha256 }) } });
  await fourRuns(bench);
  storeTools.prune(path, { tenant: 'tenant_a', olderThanMs: 0, now: bench.clock.nowMs() });
  expect(await listed(bench, { mode: 'standard' })).toEqual([]);
  expect(await listed(bench, {})).toHaveLength(4);
  await bench.runtime.close();
});
