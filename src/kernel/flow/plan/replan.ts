import type { Budget } from '../../../model/budget/budget.ts';
import type { Effect, PlanReason } from '../../../model/events/effect.ts';
import type { TerminalCode } from '../../../model/fault/terminal-code.ts';
import type { EscalationTrigger } from '../../../model/gate/escalation.ts';
import type { JsonObject } from '../../../model/json/json.ts';
import { isHeld } from '../../../model/run/session-status.ts';
import type { ToolCost } from '../../../model/tool/tool.ts';
import { charge, reserve } from '../../budget/budget.ts';
import { isUnderContextPressure } from '../../budget/gauges.ts';
import type { KernelEnv } from '../../env.ts';
import { isInvalidAnswer } from '../../query/gate/escalation-cause.ts';
import { hasLongHistory } from '../../query/plan/history-limit.ts';
import { routeOf, tooManySteps } from '../../query/plan/reactive-route.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import { hasFailed, isRepeatedWork, type LoopTrip, noteTransition } from '../../state/loop-guard.ts';
import { hasRule } from '../../state/rules.ts';
import type { RunState } from '../../state/run-state.ts';
import { dropCurrent, launch, NO_EFFECTS, type Reaction, raise } from '../../transition/reaction.ts';
import { canWalk, isAtNode, walk } from '../../transition/walk.ts';
import { handleModelRequest } from '../people/ask-user.ts';
import { escalateOverBudget, escalateRun } from '../people/escalate.ts';

/** Asks for a plan, if the context has space and the planner's cost can be reserved. */
export function requestPlan(env: KernelEnv, state: RunState, reason: PlanReason | null): Reaction {
  const asking = { ...state, planning: { ...state.planning, proposal: null, verdict: null, reason } };
  if (isHeld(state.session.status)) return [asking, NO_EFFECTS];
  const handled = handleModelRequest(env, asking);
  if (handled !== null) return handled;
  if (asking.budget === null) throw impossibleEvent('a plan before the run has a budget', state);
  const shortened = shortenHistory(env, asking, asking.budget);
  if (shortened !== null) return shortened;
  if (isUnderContextPressure(asking.budget, env.limits)) return relievePressure(env, asking, asking.budget);
  const reserved = reserve(asking.budget, plannerNeed(env), 'planner');
  if (!reserved.ok) return escalateOverBudget(env, asking, reserved);
  return launch({ ...asking, budget: reserved.budget }, 'plan', plannerAttempt(asking));
}

export function plannerAttempt(state: RunState): Effect {
  const { replans, reason, specialist } = state.planning;
  const effect = { kind: 'propose_plan', attempt: replans + 1, reason } as const;
  return specialist === 'planning' ? { ...effect, specialist: true } : effect;
}

/**
 * Compresses a long history before the first plan. Returns null if no model reads the history, if it is short or already
 * compressed, or if the budget cannot pay the compression: each model then reads the newest messages that fit.
 */
function shortenHistory(env: KernelEnv, state: RunState, budget: Budget): Reaction | null {
  if (state.intake.goal?.call !== undefined || !isBeforeCompressing(env, state)) return null;
  const reserved = reserve(budget, reviewNeed(env), 'critic');
  if (!reserved.ok) return null;
  return launch({ ...state, budget: reserved.budget }, 'compression', { kind: 'compress_context' });
}

/** Whether the history of the run is too long, and no compression has been made. */
export const isBeforeCompressing = (env: KernelEnv, state: RunState): boolean =>
  state.counters.compressions === 0 && hasLongHistory(env, state);

/** Compresses the context once per run. If it is still too large afterwards, the run ends. */
function relievePressure(env: KernelEnv, state: RunState, budget: Budget): Reaction {
  // The compression of a long history is not counted: it is no sign of a run that takes too much context.
  if (state.counters.compressions > (hasLongHistory(env, state) ? 1 : 0)) {
    const detail = { dimension: 'context_tokens' };
    return [raise(state, { code: 'BUDGET_EXHAUSTED', reason: 'context_pressure', detail }), NO_EFFECTS];
  }
  // A compression is a model call and needs a reservation.
  const reserved = reserve(budget, reviewNeed(env), 'critic');
  if (!reserved.ok) return escalateOverBudget(env, state, reserved);
  return launch({ ...state, budget: reserved.budget }, 'compression', { kind: 'compress_context' });
}

interface ModelNeed {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_microusd: number;
}

export const plannerNeed = ({ limits }: KernelEnv): ModelNeed => needFor(limits.plannerCost);

/** The maximum cost of a review: a reflection or a compression. */
export const reviewNeed = ({ limits }: KernelEnv): ModelNeed => needFor(limits.reviewerCost ?? limits.plannerCost);

const needFor = ({ input_tokens, output_tokens, microusd }: ToolCost): ModelNeed => ({
  input_tokens,
  output_tokens,
  cost_microusd: microusd,
});

/** Returns control to the orchestrator for the next step, unless the step limit is reached. */
export function askNext(env: KernelEnv, state: RunState, reason: PlanReason | null): Reaction {
  if (routeOf(env, state).to === 'error') return [raise(state, tooManySteps(env, state)), NO_EFFECTS];
  return requestPlan(env, walk(env, state, 'plan'), reason);
}

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
  if (noted.trip !== null) return loopDetected(env, { ...state, guard: noted.guard }, noted.trip, why.reason);
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

/** Escalates a trip of the loop guard as `loop_detected`, with the repeated pattern. `reason` is that of the last replan. */
export function loopDetected(
  env: KernelEnv,
  state: RunState,
  trip: LoopTrip,
  reason: PlanReason | null = state.planning.reason,
): Reaction {
  const detail = { kind: trip.kind, ...trip.detail };
  if (isFailedRepair(state, trip, reason))
    return escalateRun(env, state, 'validation_failed', { code: 'VALIDATION_FAIL', reason: 'loop_detected', detail });
  const code = isRepeatedSuccess(state, trip) ? 'REVIEW_REQUIRED' : 'REPEATED_FAILURE';
  return escalateRun(env, state, 'repeated_failure', { code, reason: 'loop_detected', detail });
}

/** Whether the loop is a plan that did not repair an invalid answer. Recorded runs keep the earlier rule (ADR 0120). */
const isFailedRepair = (state: RunState, { kind }: LoopTrip, reason: PlanReason | null): boolean =>
  hasRule(state, 'ends_by_cause') && kind !== 'repeated_call' && reason !== null && isInvalidAnswer(state, reason.code);

/** Whether the repeated call never failed. Recorded runs keep the earlier rule (ADR 0096). */
function isRepeatedSuccess(state: RunState, { kind, detail }: LoopTrip): boolean {
  const { tool, args_hash } = detail;
  if (!isRepeatedWork(kind) || typeof tool !== 'string' || typeof args_hash !== 'string') return false;
  return hasRule(state, 'repeats_reviewed') && !hasFailed(state.guard, tool, args_hash);
}

export const markUnfit = (state: RunState): RunState => ({
  ...state,
  planning: { ...state.planning, verdict: 'replan' },
});

/** Replans because the call of a step cannot be built. */
export function replanUnfitStep(
  env: KernelEnv,
  state: RunState,
  stepId: string,
  problem: { readonly code: string; readonly message: string; readonly detail: JsonObject },
): Reaction {
  const reason = { code: problem.code, step_id: stepId, message: problem.message, detail: problem.detail };
  return replan(env, markUnfit(toValidation(env, state)), {
    reason,
    trigger: 'validation_failed',
    code: 'VALIDATION_FAIL',
  });
}

function toValidation(env: KernelEnv, state: RunState): RunState {
  if (isAtNode(env, state, 'plan_validation') || !canWalk(env, state, 'plan')) return state;
  return walk(env, state, 'plan', 'plan_validation');
}
