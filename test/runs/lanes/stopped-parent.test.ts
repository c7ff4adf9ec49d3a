/** Tests lanes whose parent run was cancelled or paused by a process that then died. */
import { beforeEach, expect, test } from 'vitest';
import { type MemoryDisk, memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { Agent } from '../../../src/agent/agent.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { passTurns } from '../pass-turns.ts';
import { CAPS, operator, planOf, REQUEST, START_MS } from '../rig.ts';
import { benchAgent, benchLane, dispatched, LANE_BUDGET, type LaneRig, laneRig } from './bench.ts';
import { payingBoss } from './paying-boss.ts';

const ANSWER = { credential: operator('ops'), reason: 'no longer needed' };

/** A supervisor whose worker looks, and then saves without a gate. The tool `look` answers when it is told to. */
function looking(answer: () => Promise<JsonObject>): Agent {
  const worker = benchAgent({
    name: 'worker',
    tools: {
      look: { execute: answer },
      save: { side_effect: true, approval_mode: 'local_write', produces: ['done'] },
    },
    plans: [
      planOf([
        { id: 'l', tool: 'look' },
        { id: 's', tool: 'save', depends_on: ['l'] },
      ]),
    ],
  });
  return benchAgent({
    name: 'boss',
    tools: {},
    lanes: [
      benchLane('do_work', worker, { approvalMode: 'local_write', budget: { ...LANE_BUDGET, sideEffectsMax: 2 } }),
    ],
    caps: { ...CAPS, lanes_max: 5, replan_attempts_max: 0 },
    plans: [planOf([{ id: 's1', tool: 'do_work' }])],
  });
}

/** A store of a process that dies once it has appended an event of this type: no later request is answered. */
function dyingAfter(event: string, journal: Journal, died: () => void): Journal {
  let dead = false;
  return new Proxy(journal, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...args: readonly { readonly frame?: { readonly events: string } }[]) => {
        if (dead) return await new Promise(() => undefined);
        const answer: unknown = await Reflect.apply(value, target, args);
        if (name !== 'append' || args[0]?.frame?.events.includes(`"${event}"`) !== true) return answer;
        dead = true;
        died();
        return await new Promise(() => undefined);
      };
    },
  });
}

const process = (disk: MemoryDisk, plans: boolean, clock = simulatedClock(START_MS)): LaneRig =>
  laneRig([payingBoss(plans)], { journal: memoryJournal({ hash: sha256, disk }), clock });

beforeEach(() => {
  dispatched.length = 0;
});

/** Cancels or pauses a waiting run in a process that dies right after the event of this type is durable. */
async function dieAfter(
  event: 'run_cancelled' | 'run_paused',
  disk: MemoryDisk,
  runId: string,
  clock = simulatedClock(START_MS),
): Promise<void> {
  const durable = Promise.withResolvers<void>();
  const journal = dyingAfter(event, memoryJournal({ hash: sha256, disk }), durable.resolve);
  const { sessions } = laneRig([payingBoss(false)], { journal, clock }).runtime;
  void (event === 'run_cancelled' ? sessions.cancel(runId, ANSWER) : sessions.pause(runId, ANSWER));
  await durable.promise;
}

/** Serves until nothing is left to do at this time. Returns the failures. */
async function serveAt(rig: LaneRig, at: number): Promise<readonly string[]> {
  const stop = new AbortController();
  const failures: string[] = [];
  rig.clock.advanceTo(at);
  const failed = (session: string, error: unknown): number => failures.push(`${session} ${String(error)}`);
  const serving = rig.runtime.serve({ signal: stop.signal, failed });
  await passTurns(200);
  stop.abort();
  await rig.settle(serving);
  return failures;
}

test('refuses the call of a lane whose parent was cancelled by a process that died', async () => {
  const disk = memoryDisk();
  const waiting = await process(disk, true).invoke();
  await dieAfter('run_cancelled', disk, waiting.runId);

  const other = process(disk, false);
  const outcome = await other.approve(waiting);
  expect(dispatched).toEqual([]);
  // The lane has ended, so the approver gets the outcome of the parent, whose cancellation is now complete.
  expect(outcome).toMatchObject({ runId: waiting.runId, terminalCode: 'USER_CANCEL' });
  const [lane = ''] = await other.lanes(waiting.runId);
  expect(await other.runtime.sessions.get(lane)).toMatchObject({ reason: 'lane_parent_ended' });
});

test.each([31_000, 61_000, 600_000])('a server ends the lanes of a cancelled parent, %d ms later', async (laterMs) => {
  const disk = memoryDisk();
  const waiting = await process(disk, true).invoke();
  await dieAfter('run_cancelled', disk, waiting.runId);

  const server = process(disk, false);
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

/** A run whose lane is inside its first call. `land` lets the tool answer. */
async function insideLane(): Promise<{ rig: LaneRig; land: () => void; running: Promise<unknown> }> {
  const called = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<JsonObject>();
  const agent = looking(() => {
    called.resolve();
    return answer.promise;
  });
  const rig = laneRig([agent]);
  const running = rig.runtime.invoke({ ...REQUEST, agent: 'boss' });
  await called.promise;
  return { rig, running, land: () => answer.resolve({ ok: true }) };
}

const names = (): readonly string[] => dispatched.map(({ tool }) => tool);

test('a lane starts no call while its parent is paused, and goes on with its parent', async () => {
  const { rig, running, land } = await insideLane();
  const pausing = rig.runtime.sessions.pause('run_1', ANSWER);
  while ((await rig.of('run_1', 'run_paused')).length === 0) await passTurns(1);
  land();
  await rig.settle(Promise.all([pausing, running]));
  const [lane = ''] = await rig.lanes('run_1');
  expect(names()).toEqual(['look']);
  expect(await rig.runtime.sessions.get('run_1')).toMatchObject({ status: 'paused' });
  expect(await rig.runtime.sessions.get(lane)).toMatchObject({ status: 'paused' });
  expect(await rig.of(lane, 'run_paused')).toMatchObject([{ by: 'run_1', resumes: true }]);
  // A server leaves the lane alone, and resuming the lane alone changes nothing.
  const frames = (await rig.journal.load(lane)).length;
  expect(await serveAt(rig, START_MS + 1_000)).toEqual([]);
  await rig.settle(rig.runtime.resume(lane));
  expect((await rig.journal.load(lane)).length).toBe(frames);
  expect(names()).toEqual(['look']);

  const outcome = await rig.settle(rig.runtime.sessions.resume('run_1', operator('ops')));
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(names()).toEqual(['look', 'save']);
});

test('a kill switch on the lane tool stops a lane that is open, before its next call', async () => {
  const { rig, running, land } = await insideLane();
  const thrown = { by: 'ana', reason: 'this delegation is wrong', at: START_MS };
  await rig.journal.throwSwitch({ switch_id: 'switch_1', scope: { tool: 'do_work' }, thrown, lifted: null });
  land();
  await rig.settle(running);
  const [lane = ''] = await rig.lanes('run_1');
  expect(names()).toEqual(['look']);
  expect(await rig.of(lane, 'step_refused')).toMatchObject([{ step_id: 's', code: 'kill_switch_on' }]);
});
