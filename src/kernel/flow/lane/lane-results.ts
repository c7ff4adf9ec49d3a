import type { EventOf } from '../../../model/events/event.ts';
import type { NodeRole } from '../../../model/plan/graph.ts';
import type { LaneNote, LaneRuling } from '../../../model/run/lane.ts';
import type { KernelEnv } from '../../env.ts';
import { impossibleEvent } from '../../state/impossible.ts';
import type { CurrentStep, OpenLane, RunState } from '../../state/run-state.ts';
import { vecGet } from '../../state/vec.ts';
import type { Reaction } from '../../transition/reaction.ts';
import { isAtNode, walk } from '../../transition/walk.ts';

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
    : walk(env, selected, ...pathToInvocation(env, state), 'tool_invocation');
  const current: CurrentStep = { ...next.step, rung: 'observed', observed: next.observed };
  const captured = walk(env, { ...invoked, current }, 'observation_capture', 'observation_verification');
  return [captured, [{ kind: 'verify_step', call_id }]];
}

const TO_ELIGIBILITY: readonly NodeRole[] = ['action_selection', 'tool_eligibility'];
const FROM_PLAN: readonly NodeRole[] = ['plan', 'plan_validation', ...TO_ELIGIBILITY];

/** The path from the current node to the tool invocation. */
function pathToInvocation(env: KernelEnv, state: RunState): readonly NodeRole[] {
  const planned = isAtNode(env, state, 'plan_validation') || isAtNode(env, state, 'human_approval');
  return planned ? TO_ELIGIBILITY : FROM_PLAN;
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
