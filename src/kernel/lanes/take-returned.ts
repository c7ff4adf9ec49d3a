import type { EventOf } from '../../model/event.ts';
import type { NodeRole } from '../../model/graph.ts';
import type { LaneNote, LaneRuling } from '../../model/lane.ts';
import type { KernelEnv } from '../env.ts';
import { impossible, type Reaction } from '../reaction.ts';
import type { CurrentStep, OpenLane, RunState } from '../state.ts';
import { vecGet } from '../vec.ts';
import { standsOn, walk } from '../walk.ts';

/**
 * Takes the next lane that is back as the observation of its step. What was done well comes first, in the order of the
 * plan, so that what went wrong beside it is decided about with everything else already known.
 */
export function takeReturned(env: KernelEnv, state: RunState): Reaction {
  const lanes = state.lanes ?? [];
  const next = lanes.find(({ observed }) => observed?.outcome === 'ok') ?? lanes[0];
  const call_id = next?.step.call?.callId;
  if (next === undefined || next.observed === null || call_id === undefined) {
    throw impossible('a lane that is not back', state);
  }
  const { lanes: _, ...rest } = state;
  const left = lanes.filter((lane) => lane !== next);
  const taken: RunState = left.length === 0 ? rest : { ...rest, lanes: left };
  const selected: RunState = { ...taken, current: next.step };
  const invoked = standsOn(env, state, 'tool_invocation')
    ? selected
    : walk(env, selected, ...pathTo(env, state), 'tool_invocation');
  const current: CurrentStep = { ...next.step, rung: 'observed', observed: next.observed };
  const captured = walk(env, { ...invoked, current }, 'observation_capture', 'observation_verification');
  return [captured, [{ kind: 'verify_step', call_id }]];
}

const TO_ELIGIBILITY: readonly NodeRole[] = ['action_selection', 'tool_eligibility'];
const FROM_PLAN: readonly NodeRole[] = ['plan', 'plan_validation', ...TO_ELIGIBILITY];

/** The way that every step goes from where the run stands to where its call is made. */
function pathTo(env: KernelEnv, state: RunState): readonly NodeRole[] {
  const planned = standsOn(env, state, 'plan_validation') || standsOn(env, state, 'human_approval');
  return planned ? TO_ELIGIBILITY : FROM_PLAN;
}

/** Puts on record what became of the lane that the step at hand was worked on in. Nothing where none was. */
export function noteLane(state: RunState, current: CurrentStep, ruling: LaneRuling, reason: string): RunState {
  const { seat, stepId, observed } = current;
  if (seat === undefined || observed?.lane === undefined) return state;
  return withNotes(state, [noteOf(seat, stepId, observed.lane.status, ruling, reason)]);
}

/** The lane brought nothing that could be taken over: why, in its own words or in those of whoever looked at them. */
export function laneFailed(state: RunState, current: CurrentStep, { problems }: EventOf<'step_verified'>): RunState {
  const found = problems.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
  return noteLane(state, current, 'rejected', current.observed?.detail || found || 'not_verified');
}

/** What a lane brought and the Critic does not accept is known no more. What it did in the world stays done. */
export function withoutResults(state: RunState, { before }: CurrentStep): RunState {
  if (before === undefined) return state;
  const { evidenceByType, stated } = before;
  const evidence = vecGet(state.work.evidence, state.work.evidence.size - 1);
  const dropped = [...(state.work.dropped ?? []), ...(evidence === undefined ? [] : [evidence])];
  return { ...state, work: { ...state.work, evidenceByType, stated, dropped } };
}

/** A new plan does not take over what nobody has looked at under the old one. It is on record that it was dropped. */
export function dropLanes(state: RunState, reason: string): RunState {
  const { lanes, ...rest } = state;
  if (lanes === undefined) return state;
  const notes = lanes.map(({ seat, step, observed }) =>
    noteOf(seat, step.stepId, observed?.lane?.status ?? 'unknown', 'dropped', reason),
  );
  return withNotes(rest, notes);
}

const withNotes = (state: RunState, notes: readonly LaneNote[]): RunState => ({
  ...state,
  work: { ...state.work, lanes: [...(state.work.lanes ?? []), ...notes] },
});

function noteOf(
  { lane_id, run_id, span_id, tool }: OpenLane['seat'],
  step_id: string,
  status: LaneNote['status'],
  ruling: LaneRuling,
  reason: string,
): LaneNote {
  return { lane_id, run_id, span_id, step_id, tool, status, ruling, reason };
}
