import type { EventOf } from '../../../model/events/event.ts';
import type { LaneDoubt, LaneNote, LaneRuling } from '../../../model/run/lane.ts';
import { isHeld } from '../../../model/run/session-status.ts';
import { settle } from '../../budget/budget.ts';
import { laneSpent } from '../../budget/lane-caps.ts';
import type { KernelEnv } from '../../env.ts';
import { observedFrom, readEnvelope } from '../../query/lane/envelope.ts';
import { findOpenLane, findOpenLanes, spawnLane, withLane } from '../../query/lane/open-lanes.ts';
import { specOf } from '../../query/plan/tools.ts';
import type { Doubt } from '../../state/call-state.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import { addMetered } from '../../state/meters.ts';
import type { CurrentStep, OpenLane, RunState } from '../../state/run-state.ts';
import { vecGet, vecPush } from '../../state/vec.ts';
import { NO_EFFECTS, type Reaction, type Reacts, raise } from '../../transition/reaction.ts';
import { suspend, unsuspend } from '../../transition/suspend.ts';
import { isAtNode, pathToEligibility, walk } from '../../transition/walk.ts';

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
  const metered =
    read.ok && read.envelope.metered !== undefined ? addMetered(returned, read.envelope.metered) : returned;
  const noted: RunState = {
    ...metered,
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

export function withDoubts(work: RunState['work'], doubts: readonly LaneDoubt[]): RunState['work'] {
  if (doubts.length === 0) return work;
  const known: Record<string, Doubt> = { ...work.doubts };
  for (const { call, ...doubt } of doubts) known[call] ??= { ...doubt, decided: false, foreign: true };
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

/**
 * Observes the next ended lane as the result of its step. Successful lanes come first, in plan order, so that failures
 * are decided with all other results known.
 */
export function takeReturned(env: KernelEnv, state: RunState): Reaction {
  const lanes = state.lanes ?? [];
  const next = lanes.find(({ observed }) => observed?.outcome === 'ok') ?? lanes[0];
  const call_id = next?.step.call?.callId;
  if (next === undefined || next.observed === null || call_id === undefined) {
    throw impossibleEvent('a lane that is not back', state);
  }
  const { lanes: _, ...rest } = state;
  const left = lanes.filter((lane) => lane !== next);
  const taken: RunState = left.length === 0 ? rest : { ...rest, lanes: left };
  const selected: RunState = { ...taken, current: next.step };
  const invoked = isAtNode(env, state, 'tool_invocation')
    ? selected
    : walk(env, selected, ...pathToEligibility(env, state), 'tool_invocation');
  const current: CurrentStep = { ...next.step, rung: 'observed', observed: next.observed };
  const captured = walk(env, { ...invoked, current }, 'observation_capture', 'observation_verification');
  return [captured, [{ kind: 'verify_step', call_id }]];
}

/** Records the outcome of the step's lane. No change if the step had none. */
export function noteLane(state: RunState, current: CurrentStep, ruling: LaneRuling, reason: string): RunState {
  const { laneContext, stepId, observed } = current;
  if (laneContext === undefined || observed?.lane === undefined) return state;
  return withNotes(state, [noteOf(laneContext, stepId, observed.lane.status, ruling, reason)]);
}

/** Records a lane that failed verification, with its own reason or the problems found. */
export function laneFailed(state: RunState, current: CurrentStep, { problems }: EventOf<'step_verified'>): RunState {
  const found = problems.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
  return noteLane(state, current, 'rejected', current.observed?.detail || found || 'not_verified');
}

/** Removes the results of a lane that the critic rejected. Its effects in the world remain. */
export function dropLaneResults(state: RunState, { before }: CurrentStep): RunState {
  if (before === undefined) return state;
  const { evidenceByType, stated } = before;
  const evidence = vecGet(state.work.evidence, state.work.evidence.size - 1);
  const dropped = [...(state.work.dropped ?? []), ...(evidence === undefined ? [] : [evidence])];
  return { ...state, work: { ...state.work, evidenceByType, stated, dropped } };
}

/** Drops lanes whose results were not processed when a new plan replaces theirs, and records that. */
export function dropLanes(state: RunState, reason: string): RunState {
  const { lanes, ...rest } = state;
  if (lanes === undefined) return state;
  const notes = lanes.map(({ laneContext, step, observed }) =>
    noteOf(laneContext, step.stepId, observed?.lane?.status ?? 'unknown', 'dropped', reason),
  );
  return withNotes(rest, notes);
}

const withNotes = (state: RunState, notes: readonly LaneNote[]): RunState => ({
  ...state,
  work: { ...state.work, lanes: [...(state.work.lanes ?? []), ...notes] },
});

function noteOf(
  { lane_id, run_id, span_id, tool }: OpenLane['laneContext'],
  step_id: string,
  status: LaneNote['status'],
  ruling: LaneRuling,
  reason: string,
): LaneNote {
  return { lane_id, run_id, span_id, step_id, tool, status, ruling, reason };
}
