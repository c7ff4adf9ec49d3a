import type { EffectOf } from '../../model/effect.ts';
import { impossible } from '../reaction.ts';
import type { OpenLane, RunState } from '../state.ts';
import { toolCall } from '../tool-call.ts';

/** Lanes that have not ended. */
export const lanesOut = ({ lanes }: RunState): readonly OpenLane[] =>
  lanes === undefined ? NONE : lanes.filter(({ observed }) => observed === null);

const NONE: readonly OpenLane[] = Object.freeze([]);

/** The lane that a call has opened and that has not ended. */
export function laneOut(state: RunState, callId: string): OpenLane {
  const lane = lanesOut(state).find(({ step }) => step.call?.callId === callId);
  if (lane === undefined) throw impossible(`${callId} has no lane that could be heard of`, state);
  return lane;
}

export const withLane = (state: RunState, before: OpenLane, after: OpenLane): RunState => ({
  ...state,
  lanes: state.lanes?.map((lane) => (lane === before ? after : lane)) ?? [after],
});

/** The same words each time: whoever takes the run over finds the lane by them. */
export function spawnLane(lane: OpenLane): EffectOf<'spawn_lane'> {
  return { kind: 'spawn_lane', ...openedBy(lane), not_before: lane.step.notBefore };
}

export function endLane(lane: OpenLane, reason: string): EffectOf<'end_lane'> {
  return { kind: 'end_lane', ...openedBy(lane), reason };
}

function openedBy({ step, seat }: OpenLane): Pick<EffectOf<'spawn_lane'>, 'call' | 'seat'> {
  const { callId = '', key = '' } = step.call ?? {};
  return { call: toolCall(step, callId, key), seat };
}
