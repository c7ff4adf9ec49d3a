import type { EffectOf } from '../../../model/events/effect.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import type { OpenLane, RunState } from '../../state/run-state.ts';
import { toolCall } from '../call/tool-call.ts';

/** Lanes that have not ended. */
export const findOpenLanes = ({ lanes }: RunState): readonly OpenLane[] =>
  lanes === undefined ? NONE : lanes.filter(({ observed }) => observed === null);

const NONE: readonly OpenLane[] = Object.freeze([]);

export function findOpenLane(state: RunState, callId: string): OpenLane {
  const lane = findOpenLanes(state).find(({ step }) => step.call?.callId === callId);
  if (lane === undefined) throw impossibleEvent(`${callId} has no lane that could be heard of`, state);
  return lane;
}

export const withLane = (state: RunState, before: OpenLane, after: OpenLane): RunState => ({
  ...state,
  lanes: state.lanes?.map((lane) => (lane === before ? after : lane)) ?? [after],
});

/** The effect is the same each time, so that a process that takes over the run finds the lane. */
export function spawnLane(lane: OpenLane): EffectOf<'spawn_lane'> {
  return { kind: 'spawn_lane', ...laneCall(lane), not_before: lane.step.notBefore };
}

export function endLane(lane: OpenLane, reason: string): EffectOf<'end_lane'> {
  return { kind: 'end_lane', ...laneCall(lane), reason };
}

function laneCall({ step, laneContext }: OpenLane): Pick<EffectOf<'spawn_lane'>, 'call' | 'laneContext'> {
  const { callId = '', key = '' } = step.call ?? {};
  return { call: toolCall(step, callId, key), laneContext };
}
