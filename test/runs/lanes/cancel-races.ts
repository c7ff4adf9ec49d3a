/** Races between two processes over one store, in which a cancellation and an approval interleave by a seed. */
import assert from 'node:assert/strict';
import { memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { Append, Journal } from '../../../src/ports/journal/journal.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { type Prng, prng } from '../../../src/testing/simulator/prng.ts';
import { passTurns } from '../pass-turns.ts';
import { countingIds, operator, START_MS } from '../rig.ts';
import { dispatched, type LaneRig, laneRig } from './bench.ts';
import { payingBoss } from './paying-boss.ts';

/** The events that decide a race, in the order in which the store accepted them. */
const DECIDING = ['run_cancelled', 'gate_decided', 'step_attempted'] as const;

/** A connection of one process: each request takes a seeded number of turns, before and after it is done. */
function slowJournal(journal: Journal, random: Prng, stored: (append: Append) => void): Journal {
  return new Proxy(journal, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...args: readonly unknown[]) => {
        await passTurns(random.int(0, 2));
        const answer: unknown = await Reflect.apply(value, target, args);
        if (name === 'append') stored(args[0] as Append);
        await passTurns(random.int(0, 2));
        return answer;
      };
    },
  });
}

/** The ids of one process, which name its writer. */
function idsOf(process: string): ReturnType<typeof countingIds> {
  const ids = countingIds();
  return { next: (prefix) => ids.next(`${prefix}_${process}`) };
}

interface RaceResult {
  /** Such as `run_1 run_cancelled`, in the order of the store. */
  readonly order: readonly string[];
  readonly payments: number;
  /** The end of the parent, after a server has finished what was left. */
  readonly parent: string | null;
  readonly lane: string | null;
}

/** Cancels the parent in one process while another approves the payment in its lane. */
export async function raceCancelAndYes(seed: number): Promise<RaceResult> {
  dispatched.length = 0;
  const random = prng(seed);
  const disk = memoryDisk();
  const journal = memoryJournal({ hash: sha256, disk });
  const waiting = await laneRig([payingBoss(true)], { journal, clock: simulatedClock(START_MS) }).invoke();
  const order: string[] = [];
  const noted = ({ session, frame }: Append): void => {
    const who = session === waiting.runId ? 'parent' : 'lane';
    for (const type of DECIDING) if (frame.events.includes(`"${type}"`)) order.push(`${who} ${type}`);
  };
  const open = (name: string, own: Prng): LaneRig =>
    laneRig([payingBoss(false)], {
      journal: slowJournal(memoryJournal({ hash: sha256, disk }), own, noted),
      clock: simulatedClock(START_MS),
      world: { ids: idsOf(name) },
    });
  const canceller = open('canceller', prng(2 * seed));
  const approver = open('approver', prng(2 * seed + 1));
  const answer = { credential: operator('ops'), reason: 'no longer needed' };
  const cancel = async (): Promise<unknown> => {
    await passTurns(random.int(0, 120));
    return await canceller.settle(canceller.runtime.sessions.cancel(waiting.runId, answer));
  };
  const approve = async (): Promise<unknown> => {
    await passTurns(random.int(0, 120));
    return await approver.approve(waiting);
  };
  await Promise.allSettled([cancel(), approve()]);
  const server = laneRig([payingBoss(false)], {
    journal: memoryJournal({ hash: sha256, disk }),
    clock: simulatedClock(START_MS),
    world: { ids: idsOf('server') },
  });
  server.clock.advanceTo(START_MS + 600_000);
  const stop = new AbortController();
  const serving = server.runtime.serve({ signal: stop.signal });
  await passTurns(200);
  stop.abort();
  await server.settle(serving);
  const [lane = ''] = await server.lanes(waiting.runId);
  const endOf = async (runId: string): Promise<string | null> =>
    (await server.runtime.sessions.get(runId)).terminalCode;
  return { order, payments: dispatched.length, parent: await endOf(waiting.runId), lane: await endOf(lane) };
}

/** Fails if a payment follows a cancellation, or if a cancelled run stays open. */
export function assertRaceHeld(seed: number, { order, payments, parent, lane }: RaceResult): void {
  const cancelled = order.indexOf('parent run_cancelled');
  const intent = order.indexOf('lane step_attempted');
  const about = `seed ${seed}: ${order.join(', ')}`;
  assert.ok(intent === -1 || cancelled === -1 || intent < cancelled, about);
  assert.ok(payments <= (intent === -1 ? 0 : 1), about);
  // A cancellation that lost the race against the next frame of its run was refused, so nothing ends here.
  if (cancelled !== -1) assert.ok(parent !== null && lane !== null, `${about}: ${parent}, ${lane}`);
}

/** Runs the races of these seeds and counts the two endings. */
export async function expectRacesHeld(from: number, to: number): Promise<{ paid: number; refused: number }> {
  let [paid, refused] = [0, 0];
  for (let seed = from; seed <= to; seed += 1) {
    const result = await raceCancelAndYes(seed);
    assertRaceHeld(seed, result);
    const { order, payments } = result;
    if (payments === 1) paid += 1;
    else if (order.indexOf('lane gate_decided') > order.indexOf('parent run_cancelled')) refused += 1;
  }
  return { paid, refused };
}
