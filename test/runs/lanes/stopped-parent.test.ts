/** Tests lanes whose parent run was cancelled or paused by a process that then died. */
import { beforeEach, expect, test } from 'vitest';
import { type MemoryDisk, memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { Agent } from '../../../src/agent/agent.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { passTurns } from '../pass-turns.ts';
import { CAPS, operator, planOf, type RigTool, START_MS } from '../rig.ts';
import { benchAgent, benchLane, dispatched, LANE_BUDGET, type LaneRig, laneRig } from './bench.ts';

const PAY: Readonly<Record<string, RigTool>> = {
  pay: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'], produces: ['done'] },
};
const PAYING = planOf([{ id: 'p', tool: 'pay', params: { amount: 5 }, requires: ['GATE_A'] }]);
const ANSWER = { credential: operator('ops'), reason: 'no longer needed' };

/** The planners of a process that continues runs are never asked, so they have no plans. */
function boss(plans: boolean): Agent {
  const payer = benchAgent({ name: 'payer', tools: PAY, plans: plans ? [PAYING] : [] });
  return benchAgent({
    name: 'boss',
    tools: {},
    lanes: [benchLane('do_pay', payer, { approvalMode: 'local_write', budget: { ...LANE_BUDGET, sideEffectsMax: 2 } })],
    caps: { ...CAPS, lanes_max: 5, replan_attempts_max: 0 },
    plans: plans ? [planOf([{ id: 's1', tool: 'do_pay' }])] : [],
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
  laneRig([boss(plans)], { journal: memoryJournal({ hash: sha256, disk }), clock });

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
  const { sessions } = laneRig([boss(false)], { journal, clock }).runtime;
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
