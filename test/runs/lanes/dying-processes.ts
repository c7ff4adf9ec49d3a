/** Processes that die while they cancel or pause a run with a lane, and lanes that are inside a call. */
import type { MemoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { Agent } from '../../../src/agent/agent.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import type { RunAnswer } from '../../../src/runtime/sessions/decide-run.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { passTurns } from '../pass-turns.ts';
import { CAPS, operator, planOf, REQUEST, START_MS } from '../rig.ts';
import { benchAgent, benchLane, dispatched, LANE_BUDGET, type LaneRig, laneRig } from './bench.ts';
import { payingBoss } from './paying-boss.ts';

export const ANSWER: RunAnswer = { credential: operator('ops'), reason: 'no longer needed' };

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

/** Makes the agent of a process. A process that only continues runs needs no plans. */
type Declare = (plans: boolean) => Agent;

/** A process on a shared store. */
export const openProcess = (disk: MemoryDisk, plans: boolean, declare: Declare = payingBoss): LaneRig =>
  laneRig([declare(plans)], { journal: memoryJournal({ hash: sha256, disk }), clock: simulatedClock(START_MS) });

/** Cancels a waiting run in a process that dies right after the cancellation is durable. */
export async function cancelAndDie(disk: MemoryDisk, runId: string, declare: Declare = payingBoss): Promise<void> {
  const durable = Promise.withResolvers<void>();
  const journal = dyingAfter('run_cancelled', memoryJournal({ hash: sha256, disk }), durable.resolve);
  void laneRig([declare(false)], { journal, clock: simulatedClock(START_MS) }).runtime.sessions.cancel(runId, ANSWER);
  await durable.promise;
}

/** Serves until nothing is left to do at this time. Returns the failures. */
export async function serveAt(rig: LaneRig, at: number): Promise<readonly string[]> {
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

/** A run whose lane is inside its first call. `land` lets the tool answer. */
export async function insideLane(): Promise<{ rig: LaneRig; land: () => void; running: Promise<unknown> }> {
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

/** The tools that were called, in order. */
export const calledTools = (): readonly string[] => dispatched.map(({ tool }) => tool);
