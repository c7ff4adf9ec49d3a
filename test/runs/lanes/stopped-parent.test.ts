/** Tests lanes whose parent run was cancelled or paused by a process that then died. */
import { beforeEach, expect, test } from 'vitest';
import { memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { passTurns } from '../pass-turns.ts';
import { operator, START_MS } from '../rig.ts';
import { dispatched } from './bench.ts';
import { ANSWER, calledTools, cancelAndDie, insideLane, openProcess, serveAt } from './dying-processes.ts';
import { chief } from './paying-boss.ts';

beforeEach(() => {
  dispatched.length = 0;
});

test('refuses the call of a lane whose parent was cancelled by a process that died', async () => {
  const disk = memoryDisk();
  const waiting = await openProcess(disk, true).invoke();
  await cancelAndDie(disk, waiting.runId);

  const other = openProcess(disk, false);
  const outcome = await other.approve(waiting);
  expect(dispatched).toEqual([]);
  // The lane has ended, so the approver gets the outcome of the parent, whose cancellation is now complete.
  expect(outcome).toMatchObject({ runId: waiting.runId, terminalCode: 'USER_CANCEL' });
  const [lane = ''] = await other.lanes(waiting.runId);
  expect(await other.runtime.sessions.get(lane)).toMatchObject({ reason: 'lane_parent_ended' });
});

test.each([31_000, 61_000, 600_000])('a server ends the lanes of a cancelled parent, %d ms later', async (laterMs) => {
  const disk = memoryDisk();
  const waiting = await openProcess(disk, true).invoke();
  await cancelAndDie(disk, waiting.runId);

  const server = openProcess(disk, false);
  expect(await serveAt(server, START_MS + laterMs)).toEqual([]);
  const [lane = ''] = await server.lanes(waiting.runId);
  expect(await server.runtime.sessions.get(waiting.runId)).toMatchObject({ terminalCode: 'USER_CANCEL' });
  expect(await server.runtime.sessions.get(lane)).toMatchObject({ terminalCode: 'USER_CANCEL' });
  // A parent whose time for its lanes is over ends without their envelopes.
  const envelopes = laterMs < 60_000 ? [{ envelope: { status: 'cancelled', run_id: lane } }] : [];
  expect(await server.of(waiting.runId, 'lane_returned')).toMatchObject(envelopes);
  expect(await server.journal.gates({ statuses: ['open'] })).toEqual([]);
  expect(dispatched).toEqual([]);
});

test('a lane starts no call while its parent is paused, and goes on with its parent', async () => {
  const { rig, running, land } = await insideLane();
  const pausing = rig.runtime.sessions.pause('run_1', ANSWER);
  while ((await rig.of('run_1', 'run_paused')).length === 0) await passTurns(1);
  land();
  await rig.settle(Promise.all([pausing, running]));
  const [lane = ''] = await rig.lanes('run_1');
  expect(calledTools()).toEqual(['look']);
  expect(await rig.runtime.sessions.get('run_1')).toMatchObject({ status: 'paused' });
  expect(await rig.runtime.sessions.get(lane)).toMatchObject({ status: 'paused' });
  expect(await rig.of(lane, 'run_paused')).toMatchObject([{ by: 'run_1', resumes: true }]);
  // A server leaves the lane alone, and resuming the lane alone changes nothing.
  const frames = (await rig.journal.load(lane)).length;
  expect(await serveAt(rig, START_MS + 1_000)).toEqual([]);
  await rig.settle(rig.runtime.resume(lane));
  expect((await rig.journal.load(lane)).length).toBe(frames);
  expect(calledTools()).toEqual(['look']);

  const outcome = await rig.settle(rig.runtime.sessions.resume('run_1', operator('ops')));
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(calledTools()).toEqual(['look', 'save']);
});

test('a kill switch on the lane tool stops a lane that is open, before its next call', async () => {
  const { rig, running, land } = await insideLane();
  const thrown = { by: 'ana', reason: 'this delegation is wrong', at: START_MS };
  await rig.journal.throwSwitch({ switch_id: 'switch_1', scope: { tool: 'do_work' }, thrown, lifted: null });
  land();
  await rig.settle(running);
  const [lane = ''] = await rig.lanes('run_1');
  expect(calledTools()).toEqual(['look']);
  expect(await rig.of(lane, 'step_refused')).toMatchObject([{ step_id: 's', code: 'kill_switch_on' }]);
});

test('a lane of a lane makes no call once the run at the top is cancelled, and a server ends all three', async () => {
  const disk = memoryDisk();
  const waiting = await openProcess(disk, true, chief).invoke();
  await cancelAndDie(disk, waiting.runId, chief);
  const other = openProcess(disk, false, chief);
  await other.approve(waiting).catch(() => null);
  expect(calledTools()).toEqual([]);
  await serveAt(other, START_MS + 31_000);
  const rows = await other.journal.list({ order: 'oldest' });
  expect(rows.map(({ agent }) => agent).toSorted()).toEqual(['chief', 'chief/do_boss', 'chief/do_boss/do_pay']);
  expect(rows.filter(({ terminal_code }) => terminal_code === null)).toEqual([]);
  expect(rows.find(({ agent }) => agent === 'chief')?.terminal_code).toBe('USER_CANCEL');
});

test('a kill switch on the outer lane tool stops a lane of its lane', async () => {
  const disk = memoryDisk();
  const rig = openProcess(disk, true, chief);
  const waiting = await rig.invoke();
  const thrown = { by: 'ana', reason: 'this delegation is wrong', at: START_MS };
  await rig.journal.throwSwitch({ switch_id: 'switch_1', scope: { tool: 'do_boss' }, thrown, lifted: null });
  await rig.approve(waiting).catch(() => null);
  expect(calledTools()).toEqual([]);
});

test('a lane of a lane pays if nothing stops it', async () => {
  const rig = openProcess(memoryDisk(), true, chief);
  expect(await rig.approve(await rig.invoke())).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(calledTools()).toEqual(['pay']);
});
