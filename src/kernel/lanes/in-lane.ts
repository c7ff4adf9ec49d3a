import { compareModes } from '../../model/approval-mode.ts';
import type { BudgetCaps } from '../../model/budget.ts';
import type { EventOf } from '../../model/event.ts';
import type { SecurityToken } from '../../model/identity.ts';
import type { JsonObject } from '../../model/json.ts';
import type { LaneSeat } from '../../model/lane.ts';
import { laneNeed } from '../budget-lane.ts';
import { raise } from '../closing.ts';
import { impossible, NOTHING, type Reaction } from '../reaction.ts';
import type { RunState } from '../state.ts';
import { withDoubts } from './on-lane.ts';

/** What a lane has been told about its place, and about the run above it, taken over into its own state. */
export function seatedIn(state: RunState, { lane, run_id, expires_at }: EventOf<'goal_received'>): RunState {
  if (lane === undefined) return state;
  if (lane.run_id !== run_id) throw impossible(`${lane.lane_id} is a place for another run`, state);
  if (expires_at > lane.deadline) throw impossible('a lane that outlives its parent', state);
  return {
    ...state,
    seat: lane,
    planning: lane.exposed === true ? { ...state.planning, exposed: true } : state.planning,
    work: lane.doubts === undefined ? state.work : withDoubts(state.work, lane.doubts),
  };
}

/** A lane may do what its parent has left it, and no more, whatever its own agent may do elsewhere. */
export function narrowedTo({ tools, authority }: LaneSeat, token: SecurityToken): SecurityToken {
  return {
    ...token,
    allowed_tools: token.allowed_tools.filter((tool) => tools.includes(tool)),
    approval_authority: compareModes(token.approval_authority, authority) > 0 ? authority : token.approval_authority,
  };
}

export function assertToken(state: RunState, token: SecurityToken): void {
  const { seat } = state;
  if (seat === undefined) return;
  const within = token.allowed_tools.every((tool) => seat.tools.includes(tool));
  if (within && compareModes(token.approval_authority, seat.authority) <= 0) return;
  throw impossible('a lane with more rights than its parent has left it', state);
}

export function assertCaps(state: RunState, caps: BudgetCaps): void {
  const { seat } = state;
  if (seat === undefined) return;
  const given = laneNeed(seat.caps);
  const taken = laneNeed(caps);
  const within = Object.entries(taken).every(([counter, most]) => most <= (given[counter as keyof typeof given] ?? 0));
  if (within && caps.wall_clock_seconds_max <= seat.caps.wall_clock_seconds_max) return;
  throw impossible('a lane with a larger budget than its parent has set aside', state);
}

/** What somebody says in the name of a lane about a state that is not the lane's own. */
export function reachesAbove({ seat }: RunState, kind: string, payload: unknown): boolean {
  if (seat === undefined) return false;
  if (kind.startsWith('parent_')) return true;
  const named = typeof payload === 'object' && payload !== null ? (payload as JsonObject)['run_id'] : undefined;
  return named !== undefined && (named === seat.parent_run_id || named !== seat.run_id);
}

/** A lane that reaches for the state above it is ended. Nothing was changed there, and nothing of it comes back. */
export function invariantBroken(state: RunState, subject: string): Reaction {
  const detail = { subject, parent_run_id: state.seat?.parent_run_id ?? '' };
  return [raise(state, { code: 'UNSAFE_DETECTION', reason: 'lane_invariant_violation', detail }), NOTHING];
}
