/** Sessions can be listed by mode. */
import { expect, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { storeTools } from '../../../src/compose.ts';
import type { SessionQuery } from '../../../src/runtime/sessions/list-sessions.ts';
import { freshFile } from '../../journal/sqlite-store.ts';
import { planOf, type Rig, type RigOptions, rig } from '../rig.ts';

const LONG = { mode: 'long_running', runtime: { max_session_duration_ms: 3_600_000 } } as const;
const PLAN = planOf([{ id: 'a', tool: 'finish' }]);
const OPTIONS: RigOptions = { tools: { finish: { produces: ['done'] } }, plans: [PLAN, PLAN, PLAN, PLAN] };

/** Two runs of each mode, alternating. */
async function fourRuns(bench: Rig): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const changes of [{}, LONG, {}, LONG]) {
    ids.push((await bench.invoke(changes)).runId);
    bench.clock.advanceTo(bench.clock.nowMs() + 1_000);
  }
  return ids;
}

const listIds = async ({ runtime }: Rig, query: SessionQuery): Promise<readonly string[]> =>
  (await runtime.sessions.list(query)).map(({ runId }) => runId);

test.each([
  ['in memory', () => memoryJournal({ hash: sha256 })],
  ['in a file', () => sqliteJournal({ path: freshFile(), hash: sha256 })],
])('lists runs of one mode, in order and up to the limit: %s', async (_name, open) => {
  const bench = rig({ ...OPTIONS, world: { journal: open() } });
  const [one, two, three, four] = await fourRuns(bench);
  expect(await listIds(bench, { mode: 'long_running' })).toEqual([four, two]);
  expect(await listIds(bench, { mode: 'standard', order: 'oldest' })).toEqual([one, three]);
  expect(await listIds(bench, { mode: 'standard', limit: 1 })).toEqual([three]);
  expect(await listIds(bench, { mode: 'standard', statuses: ['failed'] })).toEqual([]);
  expect(await listIds(bench, {})).toHaveLength(4);
  await expect(bench.runtime.sessions.list({ mode: 'quick' as never })).rejects.toMatchObject({
    code: 'input_invalid',
  });
  await bench.runtime.close();
});

test('omits runs whose frames were pruned', async () => {
  const path = freshFile();
  const bench = rig({ ...OPTIONS, world: { journal: sqliteJournal({ path, hash: sha256 }) } });
  await fourRuns(bench);
  storeTools.prune(path, { tenant: 'tenant_a', olderThanMs: 0, now: bench.clock.nowMs() });
  expect(await listIds(bench, { mode: 'standard' })).toEqual([]);
  expect(await listIds(bench, {})).toHaveLength(4);
  await bench.runtime.close();
});
