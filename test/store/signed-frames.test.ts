/** Tests that a store with `frames=signed` continues only runs whose frames its key signed. */
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { keyTools, storeTools } from '../../src/compose.ts';
import type { Journal } from '../../src/ports/journal/journal.ts';
import { draft } from '../../src/testing/contracts/journal/draft.ts';
import { freshFile } from '../journal/sqlite-store.ts';
import { benchAgent, benchLane, dispatched, LANE_BUDGET, type LaneRig, laneRig } from '../runs/lanes/bench.ts';
import { CAPS, planOf, rig } from '../runs/rig.ts';

const KEY = keyTools.newPair();
const openSigned = (path: string): Journal => sqliteJournal({ path, hash: sha256, anchorKey: KEY, signedFrames: true });

function execute(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

/** A boss whose lane pays at a gate. */
function payingBoss(journal: Journal): LaneRig {
  const pay = { approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'], produces: ['done'] } as const;
  const paying = planOf([{ id: 'p', tool: 'pay', params: { amount: 5 }, requires: ['GATE_A'] }]);
  const payer = benchAgent({ name: 'payer', tools: { pay }, plans: [paying] });
  const budget = { ...LANE_BUDGET, sideEffectsMax: 1 };
  const boss = benchAgent({
    name: 'boss',
    tools: { finish: { produces: ['done'] } },
    lanes: [benchLane('delegate', payer, { approvalMode: 'local_write', budget })],
    caps: { ...CAPS, lanes_max: 5, replan_attempts_max: 2 },
    plans: [planOf([{ id: 's1', tool: 'delegate' }])],
  });
  return laneRig([boss], { journal });
}

beforeEach(() => {
  dispatched.length = 0;
});

describe('a run with a lane', () => {
  test('continues, and every frame is signed', async () => {
    const path = freshFile();
    const journal = openSigned(path);
    const boss = payingBoss(journal);
    const done = await boss.approve(await boss.invoke());
    expect(done.terminalCode).toBe('SUCCESS');
    expect(dispatched.map(({ tool }) => tool)).toEqual(['pay']);
    await journal.close();
    expect(storeTools.check(path, { publicKey: KEY.publicKey })).toMatchObject({ unsigned_frames: 0, problems: [] });
  });

  test.each([
    ['run', 'boss'],
    ['lane', 'delegate'],
  ])('sends nothing if the frames of the %s are not signed', async (_, agent) => {
    const path = freshFile();
    const journal = openSigned(path);
    const waiting = await payingBoss(journal).invoke();
    await journal.close();
    execute(
      path,
      `update frames set signature = null where sid in (select sid from sessions where agent like '%${agent}')`,
    );
    const reopened = openSigned(path);
    await expect(payingBoss(reopened).approve(waiting)).rejects.toMatchObject({ code: 'run_unsigned' });
    expect(dispatched).toEqual([]);
    await reopened.close();
  });
});

const LOOK = planOf([{ id: 's1', tool: 'look' }]);

test('a fork of an unsigned run is refused', async () => {
  const path = freshFile();
  const journal = openSigned(path);
  const bench = rig({ tools: { look: { produces: ['done'] } }, plans: [LOOK, LOOK], world: { journal } });
  const { runId } = await bench.invoke();
  const at = `ck_${runId}_1`;
  const fork = await bench.settle(bench.runtime.records.fork(runId, { at }));
  expect(fork.terminalCode).toBe('SUCCESS');
  execute(path, 'update frames set signature = null');
  await expect(bench.runtime.records.fork(runId, { at })).rejects.toMatchObject({ code: 'run_unsigned' });
  await journal.close();
});

test('a frame after an unsigned one is not signed, also if the key signs other sessions', async () => {
  const path = freshFile();
  const unsigned = sqliteJournal({ path, hash: sha256 });
  const first = draft(sha256);
  await unsigned.append(first);
  await unsigned.close();
  const journal = openSigned(path);
  await journal.append(draft(sha256, { after: first.frame }));
  await journal.append(draft(sha256, { session: 'sess_2' }));
  await expect(journal.assertSigned?.('sess_1')).rejects.toMatchObject({
    code: 'run_unsigned',
    message: expect.stringContaining('end the run with "ambit sessions terminate sess_1"'),
  });
  await journal.assertSigned?.('sess_2');
  await journal.close();
  expect(storeTools.check(path)).toMatchObject({ frames: 3, unsigned_frames: 2, problems: [] });
});
