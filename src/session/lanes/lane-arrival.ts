import type { EventBody } from '../../model/event.ts';
import type { LaneStart } from './family.ts';

type Arrived = Extract<EventBody, { type: 'goal_received' }>;

/** The first event of a lane: under the name that its call gives it, in the trace of its parent, and no longer than that. */
export function inItsSeat(arrived: Arrived, lane: Omit<LaneStart, 'request'> | undefined): Arrived {
  if (lane === undefined) return arrived;
  const { seat, traceId } = lane;
  const expires_at = Math.min(arrived.expires_at, seat.deadline);
  return { ...arrived, run_id: seat.run_id, trace_id: traceId, expires_at, lane: seat };
}
