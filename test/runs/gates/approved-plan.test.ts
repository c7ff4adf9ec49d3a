/** Tests that every process follows an approved plan as it was shown, without planning again. */
import { expect } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { verifies } from '../../requirements/verifies.ts';
import { restartProcess } from '../executing/crashed-process.ts';
import { operator, REQUEST, type RigOptions, rig } from '../rig.ts';
import { child } from './child.ts';
import { freshFile } from './stores.ts';
import { SHOWN_PLAN, SUPERVISED } from './supervised-run.ts';

const ID = 'planfirst:approval:resume-without-replanning';

verifies(
  ID,
  'a process that has never planned takes the approved plan from the journal',
  async () => {
    const path = freshFile();
    const first = rig({
      ...SUPERVISED,
      plans: [SHOWN_PLAN],
      world: { journal: sqliteJournal({ path, hash: sha256 }) },
    });
    const waiting = await first.invoke();
    expect(waiting).toMatchObject({ status: 'awaiting_gate', plan: { approach: 'planned' } });
    const { gateId = '', packetHash = '' } = waiting.pending[0] ?? {};
    await first.runtime.close();
    const [line] = await child('./plan-process.ts', path, gateId, packetHash).lines();
    expect(JSON.parse(line ?? '')).toEqual({
      terminalCode: 'SUCCESS',
      approach: 'approved_from_state',
      asked: 0,
      plan: SHOWN_PLAN,
      sent: ['read', 'finish'],
    });
  },
  { timeout: 60_000 },
);

verifies(ID, 'a process that takes over after the approval makes no planning call', async () => {
  const first = rig({
    ...SUPERVISED,
    tools: { ...SUPERVISED.tools, read: { execute: () => new Promise(() => undefined) } },
    plans: [SHOWN_PLAN],
  });
  const { runId, pending } = await first.invoke();
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  // The tool of the first process never answers, as if the process had died.
  void first.runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'good' });
  await expect.poll(() => first.dispatches.length).toBe(1);
  const next = restartProcess(first, { ...SUPERVISED, plans: [] });
  const done = await next.settle(next.runtime.resume(runId));
  expect(done).toMatchObject({ terminalCode: 'SUCCESS', plan: { approach: 'approved_from_state' } });
  expect(next.planner.requests).toEqual([]);
  expect((await next.runtime.records.replay(runId)).state.planning.active?.plan).toEqual(SHOWN_PLAN);
});

verifies(ID, 'a run without a plan is planned', async () => {
  const silentPlanner = {
    planner: { propose: () => new Promise(() => undefined) },
  } as unknown as RigOptions['options'] & object;
  const journal = memoryJournal({ hash: sha256 });
  const first = rig({ ...SUPERVISED, options: { ...SUPERVISED.options, ...silentPlanner }, world: { journal } });
  void first.runtime.invoke(REQUEST);
  await expect.poll(async () => (await journal.list({})).length).toBe(1);
  const next = restartProcess(first, { ...SUPERVISED, plans: [SHOWN_PLAN] });
  const waiting = await next.settle(next.runtime.resume('run_1'));
  expect(waiting).toMatchObject({ status: 'awaiting_gate', plan: { approach: 'planned' } });
  expect(next.planner.requests).toHaveLength(1);
});
