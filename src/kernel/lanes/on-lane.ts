import type { LaneDoubt } from '../../model/lane.ts';
import { settle } from '../budget.ts';
import { laneSpent } from '../budget-lane.ts';
import { raise } from '../closing.ts';
import type { Doubt } from '../doubt-state.ts';
import type { KernelEnv } from '../env.ts';
import { impossible, NOTHING, type Reaction, type Reacts } from '../reaction.ts';
import { specOf } from '../spec-of.ts';
import type { OpenLane, RunState } from '../state.ts';
import { isHeld, suspend, unsuspend } from '../suspend.ts';
import { vecPush } from '../vec.ts';
import { laneOut, lanesOut, spawnLane, withLane } from './open-lane.ts';
import { observedFrom, readEnvelope } from './read-envelope.ts';
import { takeReturned } from './take-returned.ts';

/**
 * A lane has ended. What it spent is charged here, whatever is made of it; what it brought back is only looked at when
 * all that went out with it are back, and enters the state like any observation: verified, committed, judged.
 */
export const onLaneReturned: Reacts<'lane_returned'> = (env, state, event) => {
  const lane = laneOut(state, event.call_id);
  const { reserved } = lane.step;
  if (state.budget === null || reserved === null) throw impossible('a lane that nothing was set aside for', state);
  const read = readEnvelope(event.envelope, lane.seat);
  // Nobody knows what a lane took that does not say so.
  const spent = read.ok ? laneSpent(read.used) : reserved;
  const { budget, overrun } = settle(state.budget, reserved, spent, 'executor');
  const spec = specOf(env, lane.step.tool);
  const observed = observedFrom(read, spec.lane === undefined);
  const doubts = read.ok ? (read.envelope.doubts ?? NO_DOUBTS) : NO_DOUBTS;
  const back = withLane(state, lane, { ...lane, observed, waits: null, step: { ...lane.step, reserved: null } });
  const noted: RunState = {
    ...back,
    budget,
    planning: observed.lane?.trusted === false || !spec.trusted ? { ...back.planning, exposed: true } : back.planning,
    work: withDoubts({ ...back.work, transcripts: vecPush(back.work.transcripts, event.call_id) }, doubts),
  };
  if (overrun === null) return afterLane(env, noted);
  const detail = { dimension: overrun, lane_id: lane.seat.lane_id };
  const [next, effects] = afterLane(
    env,
    raise(noted, { code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun', detail }),
  );
  return [next, effects];
};

const NO_DOUBTS: readonly LaneDoubt[] = Object.freeze([]);

/** What is in doubt in a lane is in doubt above it as well. */
export function withDoubts(work: RunState['work'], doubts: readonly LaneDoubt[]): RunState['work'] {
  if (doubts.length === 0) return work;
  const known: Record<string, Doubt> = { ...work.doubts };
  for (const { call, key, since, until } of doubts)
    known[call] ??= { key, since, until, decided: false, foreign: true };
  return { ...work, doubts: known };
}

/** A lane waits for people. So does the run, as soon as none of its lanes has anything else to do. */
export const onLaneSuspended: Reacts<'lane_suspended'> = (env, state, event) => {
  const lane = laneOut(state, event.call_id);
  if (lane.seat.run_id !== event.run_id)
    throw impossible(`${event.run_id} is not the run of ${lane.seat.lane_id}`, state);
  return afterLane(env, withLane(state, lane, { ...lane, waits: event.waits }));
};

/** Goes on when the last lane is back; until then the run waits, for its lanes or with them for people. */
function afterLane(env: KernelEnv, state: RunState): Reaction {
  const out = lanesOut(state);
  if (out.some(({ waits }) => waits === null)) return [state, NOTHING];
  const grounded: RunState = { ...state, ending: { ...state.ending, inFlight: null } };
  if (out.length > 0) return [waitForPeople(grounded), NOTHING];
  const free = grounded.session.status === 'awaiting_gate' ? unsuspend(grounded) : grounded;
  return state.ending.stops.length > 0 ? [free, NOTHING] : takeReturned(env, free);
}

function waitForPeople(state: RunState): RunState {
  if (isHeld(state.session.status) || state.ending.stops.length > 0) return state;
  return suspend(state, 'awaiting_gate', null);
}

/** When the first gate of a lane that waits is over: from then on the lane has something to say, and is asked. */
export function lanesDueAt(state: RunState): number {
  let at = Number.POSITIVE_INFINITY;
  for (const { waits } of lanesOut(state)) for (const gate of waits?.gates ?? []) at = Math.min(at, gate.expires_at);
  return at;
}

/** Looks for lanes whose gates are over by now; null where there are none. */
export function lookAgain(state: RunState): Reaction | null {
  const isDue = ({ waits }: OpenLane): boolean =>
    waits?.gates.some(({ expires_at }) => state.now >= expires_at) === true;
  const due = lanesOut(state).filter(isDue);
  if (due.length === 0 || state.session.status === 'paused') return null;
  const free = state.session.status === 'awaiting_gate' ? unsuspend(state) : state;
  const lanes = state.lanes?.map((lane) => (due.includes(lane) ? { ...lane, waits: null } : lane)) ?? [];
  return [{ ...free, lanes, ending: { ...free.ending, inFlight: 'lane' } }, due.map(spawnLane)];
}

/** What a run whose lanes wait goes on with: nothing, until they have been heard of. */
export function waitsForLanes(state: RunState): Reaction | null {
  return lanesOut(state).length === 0 ? null : [waitForPeople(state), NOTHING];
}
