/** Tests lanes whose parent run was cancelled or paused by a process that then died. */
import { beforeEach, expect, test } from 'vitest';
import { type MemoryDisk, memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { Agent } from '../../../src/agent/agent.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
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

test('refuses the call of a lane whose parent was cancelled by a process that died', async () => {
  const disk = memoryDisk();
  const waiting = await process(disk, true).invoke();
  const cancelled = Promise.withResolvers<void>();
  const journal = dyingAfter('run_cancelled', memoryJournal({ hash: sha256, disk }), cancelled.resolve);
  void laneRig([boss(false)], { journal, clock: simulatedClock(START_MS) }).runtime.sessions.cancel(
    waiting.runId,
    ANSWER,
  );
  await cancelled.promise;

  const other = process(disk, false);
  const outcome = await other.approve(waiting);
  expect(dispatched).toEqual([]);
  // The lane has ended, so the approver gets the outcome of the parent, whose cancellation is now complete.
  expect(outcome).toMatchObject({ runId: waiting.runId, terminalCode: 'USER_CANCEL' });
  const [lane = ''] = await other.lanes(waiting.runId);
  expect(await other.runtime.sessions.get(lane)).toMatchObject({ reason: 'lane_parent_ended' });
});
