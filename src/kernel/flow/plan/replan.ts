import type { PlanReason } from '../../../model/events/effect.ts';
import type { TerminalCode } from '../../../model/fault/terminal-code.ts';
import type { EscalationTrigger } from '../../../model/gate/escalation.ts';
import { charge } from '../../budget/budget.ts';
import type { KernelEnv } from '../../env.ts';
import { type LoopTrip, noteTransition } from '../../state/loop-guard.ts';
import type { RunState } from '../../state/run-state.ts';
import { dropCurrent } from '../../transition/drop-step.ts';
import type { Reaction } from '../../transition/reaction.ts';
import { canWalk, isAtNode, walk } from '../../transition/walk.ts';
import { escalateRun } from '../people/escalate.ts';
import { requestPlan } from './ask-planner.ts';

/** The reason for a replan, and the escalation if none is left. */
interface Replan {
  readonly reason: PlanReason;
  readonly trigger: EscalationTrigger;
  readonly code: TerminalCode;
}

/** Returns control to the planner with the reason, as long as replan attempts are left. */
export function replan(env: KernelEnv, state: RunState, why: Replan): Reaction {
  const atPlan = backToPlan(env, state);
  const replanned = atPlan === null ? null : takeReplan(atPlan);
  if (replanned === null) {
    return escalateRun(env, state, why.trigger, {
      code: why.code,
      reason: state.intake.goal?.call === undefined ? 'replan_budget_exhausted' : why.reason.code,
      detail: { cause: why.reason.code, step_id: why.reason.step_id, message: why.reason.message },
    });
  }
  const noted = noteTransition(state.guard, loopKey(env, state, why.reason));
  if (noted.trip !== null) return loopDetected(env, { ...state, guard: noted.guard }, noted.trip);
  return requestPlan(env, dropCurrent({ ...replanned, guard: noted.guard }), why.reason);
}

/** The loop guard's key: going back on the same edge for the same reason, with nothing new committed, is a loop. */
function loopKey(env: KernelEnv, { position, work }: RunState, { code, step_id, message }: PlanReason): string {
  return `${position.node}>plan ${env.hash([work.version, code, step_id, message].join('\n'))}`;
}

/** Charges one replan attempt; null if none is left. A run for a single call is never replanned. */
export function takeReplan(state: RunState): RunState | null {
  if (state.budget === null || state.intake.goal?.call !== undefined) return null;
  const charged = charge(state.budget, { replan_attempts: 1 });
  if (!charged.ok) return null;
  return {
    ...state,
    budget: charged.budget,
    planning: { ...state.planning, replans: state.planning.replans + 1 },
  };
}

/** Moves the run back to the plan node; null if no edge leads there or a guard forbids it. */
function backToPlan(env: KernelEnv, state: RunState): RunState | null {
  if (env.graph.idOf('repair') === null) return null;
  if (isAtNode(env, state, 'plan')) return state;
  const isDirect = isAtNode(env, state, 'completion_check');
  if (!isDirect && !canWalk(env, state, 'repair')) return null;
  const repairing = isDirect ? state : walk(env, state, 'repair');
  return canWalk(env, repairing, 'plan') ? walk(env, repairing, 'plan') : null;
}

/** Escalates a trip of the loop guard as `loop_detected`, with the repeated pattern. */
export function loopDetected(env: KernelEnv, state: RunState, trip: LoopTrip): Reaction {
  return escalateRun(env, state, 'repeated_failure', {
    code: 'REPEATED_FAILURE',
    reason: 'loop_detected',
    detail: { kind: trip.kind, ...trip.detail },
  });
}
