import type { BudgetCaps } from '../../../model/budget/budget.ts';
import type { EventOf } from '../../../model/events/event.ts';
import { compareModes } from '../../../model/gate/approval-mode.ts';
import type { JsonObject } from '../../../model/json/json.ts';
import type { SecurityToken } from '../../../model/run/identity.ts';
import { laneNeed } from '../../budget/lane-caps.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import type { RunState } from '../../state/run-state.ts';
import { NO_EFFECTS, type Reaction, raise } from '../../transition/reaction.ts';
import { withDoubts } from './lane.ts';

/** Applies the lane context from the parent to the state of the lane. */
export function applyLaneContext(state: RunState, { lane, run_id, expires_at }: EventOf<'goal_received'>): RunState {
  if (lane === undefined) return state;
  if (lane.run_id !== run_id) throw impossibleEvent(`${lane.lane_id} is a place for another run`, state);
  if (expires_at > lane.deadline) throw impossibleEvent('a lane that outlives its parent', state);
  return {
    ...state,
    laneContext: lane,
    planning: lane.exposed === true ? { ...state.planning, exposed: true } : state.planning,
    work: lane.doubts === undefined ? state.work : withDoubts(state.work, lane.doubts),
  };
}

export function assertToken(state: RunState, token: SecurityToken): void {
  const { laneContext } = state;
  if (laneContext === undefined) return;
  const isWithin = token.allowed_tools.every((tool) => laneContext.tools.includes(tool));
  if (isWithin && compareModes(token.approval_authority, laneContext.authority) <= 0) return;
  throw impossibleEvent('a lane with more rights than its parent has left it', state);
}

export function assertCaps(state: RunState, caps: BudgetCaps): void {
  const { laneContext } = state;
  if (laneContext === undefined) return;
  const parentNeed = laneNeed(laneContext.caps);
  const ownNeed = laneNeed(caps);
  const isWithin = Object.entries(ownNeed).every(
    ([counter, most]) => most <= (parentNeed[counter as keyof typeof parentNeed] ?? 0),
  );
  if (isWithin && caps.wall_clock_seconds_max <= laneContext.caps.wall_clock_seconds_max) return;
  throw impossibleEvent('a lane with a larger budget than its parent has set aside', state);
}

/** Whether a proposal of a lane targets the state of another run. */
export function targetsOtherRun({ laneContext }: RunState, kind: string, payload: unknown): boolean {
  if (laneContext === undefined) return false;
  if (kind.startsWith('parent_')) return true;
  const runId = typeof payload === 'object' && payload !== null ? (payload as JsonObject)['run_id'] : undefined;
  return runId !== undefined && (runId === laneContext.parent_run_id || runId !== laneContext.run_id);
}

/** Ends a lane that tries to change its parent. The parent is unchanged and gets no results. */
export function endViolatingLane(state: RunState, subject: string): Reaction {
  const detail = { subject, parent_run_id: state.laneContext?.parent_run_id ?? '' };
  return [raise(state, { code: 'UNSAFE_DETECTION', reason: 'lane_invariant_violation', detail }), NO_EFFECTS];
}
