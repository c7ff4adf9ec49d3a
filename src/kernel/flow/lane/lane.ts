import type { LaneDoubt } from '../../../model/run/lane.ts';
import { settle } from '../../budget/budget.ts';
import { laneSpent } from '../../budget/lane-caps.ts';
import type { KernelEnv } from '../../env.ts';
import { findOpenLane, findOpenLanes, spawnLane, withLane } from '../../query/lane/open-lanes.ts';
import { observedFrom, readEnvelope } from '../../query/lane/read-envelope.ts';
import { specOf } from '../../query/plan/tools.ts';
import type { Doubt } from '../../state/call-state.ts';
import { impossibleEvent } from '../../state/impossible.ts';
import type { OpenLane, RunState } from '../../state/run-state.ts';
import { vecPush } from '../../state/vec.ts';
import { NO_EFFECTS, type Reaction, type Reacts } from '../../transition/reaction.ts';
import { raise } from '../../transition/stop.ts';
import { isHeld, suspend, unsuspend } from '../../transition/suspend.ts';
import { takeReturned } from './lane-results.ts';

/**
 * Charges the spending of an ended lane. Its results are processed when all lanes have ended, and are verified,
 * committed and judged like any observation.
 */
export const onLaneReturned: Reacts<'lane_returned'> = (env, state, event) => {
  const lane = findOpenLane(state, event.call_id);
  const { reserved } = lane.step;
  if (state.budget === null || reserved === null) throw impossibleEvent('a lane that nothing was set aside for', state);
  const read = readEnvelope(event.envelope, lane.laneContext);
  // An invalid envelope reports no spending, so the reservation counts as spent.
  const spent = read.ok ? laneSpent(read.used) : reserved;
  const { budget, overrun } = settle(state.budget, reserved, spent, 'executor');
  const spec = specOf(env, lane.step.tool);
  const observed = observedFrom(read, spec.lane === undefined);
  const doubts = read.ok ? (read.envelope.doubts ?? NO_DOUBTS) : NO_DOUBTS;
  const returned = withLane(state, lane, { ...lane, observed, waits: null, step: { ...lane.step, reserved: null } });
  const noted: RunState = {
    ...returned,
    budget,
    planning:
      observed.lane?.trusted === false || !spec.trusted ? { ...returned.planning, exposed: true } : returned.planning,
    work: withDoubts({ ...returned.work, transcripts: vecPush(returned.work.transcripts, event.call_id) }, doubts),
  };
  if (overrun === null) return afterLane(env, noted);
  const detail = { dimension: overrun, lane_id: lane.laneContext.lane_id };
  const [next, effects] = afterLane(
    env,
    raise(noted, { code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun', detail }),
  );
  return [next, effects];
};

const NO_DOUBTS: readonly LaneDoubt[] = Object.freeze([]);

/** Adds the doubts of a lane to the parent. */
export function withDoubts(work: RunState['work'], doubts: readonly LaneDoubt[]): RunState['work'] {
  if (doubts.length === 0) return work;
  const known: Record<string, Doubt> = { ...work.doubts };
  for (const { call, key, since, until } of doubts)
    known[call] ??= { key, since, until, decided: false, foreign: true };
  return { ...work, doubts: known };
}

/** Records that a lane waits for people. The run waits too once no lane has other work. */
export const onLaneSuspended: Reacts<'lane_suspended'> = (env, state, event) => {
  const lane = findOpenLane(state, event.call_id);
  if (lane.laneContext.run_id !== event.run_id)
    throw impossibleEvent(`${event.run_id} is not the run of ${lane.laneContext.lane_id}`, state);
  return afterLane(env, withLane(state, lane, { ...lane, waits: event.waits }));
};

/** Continues when the last lane has ended. Until then the run waits for its lanes, or with them for people. */
function afterLane(env: KernelEnv, state: RunState): Reaction {
  const openLanes = findOpenLanes(state);
  if (openLanes.some(({ waits }) => waits === null)) return [state, NO_EFFECTS];
  const withoutFlight: RunState = { ...state, ending: { ...state.ending, inFlight: null } };
  if (openLanes.length > 0) return [waitForPeople(withoutFlight), NO_EFFECTS];
  const resumed = withoutFlight.session.status === 'awaiting_gate' ? unsuspend(withoutFlight) : withoutFlight;
  return state.ending.stops.length > 0 ? [resumed, NO_EFFECTS] : takeReturned(env, resumed);
}

function waitForPeople(state: RunState): RunState {
  if (isHeld(state.session.status) || state.ending.stops.length > 0) return state;
  return suspend(state, 'awaiting_gate', null);
}

/** The earliest expiry of a lane's open gates. At that time the lane is checked again. */
export function lanesDueAt(state: RunState): number {
  let at = Number.POSITIVE_INFINITY;
  for (const { waits } of findOpenLanes(state))
    for (const gate of waits?.gates ?? []) at = Math.min(at, gate.expires_at);
  return at;
}

/** Resumes the lanes whose gates have expired; null if there are none. */
export function resumeDueLanes(state: RunState): Reaction | null {
  const isDue = ({ waits }: OpenLane): boolean =>
    waits?.gates.some(({ expires_at }) => state.now >= expires_at) === true;
  const due = findOpenLanes(state).filter(isDue);
  if (due.length === 0 || state.session.status === 'paused') return null;
  const resumed = state.session.status === 'awaiting_gate' ? unsuspend(state) : state;
  const lanes = state.lanes?.map((lane) => (due.includes(lane) ? { ...lane, waits: null } : lane)) ?? [];
  return [{ ...resumed, lanes, ending: { ...resumed.ending, inFlight: 'lane' } }, due.map(spawnLane)];
}

/** The reaction of a run whose lanes are open: wait. Null if no lane is open. */
export function waitForLanes(state: RunState): Reaction | null {
  return findOpenLanes(state).length === 0 ? null : [waitForPeople(state), NO_EFFECTS];
}
