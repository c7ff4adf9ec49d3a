import type { StepVerdict } from '../../../model/critic/verdict.ts';
import type { PlanReason } from '../../../model/events/effect.ts';
import { isUntrusted } from '../../../model/evidence/origin.ts';
import type { TerminalCode } from '../../../model/fault/terminal-code.ts';
import type { EscalationTrigger } from '../../../model/gate/escalation.ts';
import { isJsonObject, type JsonObject, own } from '../../../model/json/json.ts';
import { sameJson } from '../../../model/json/json-at.ts';
import type { Problem } from '../../../model/json/problem.ts';
import { atLeast } from '../../../model/policy/risk.ts';
import type { ToolSpec } from '../../../model/tool/tool.ts';
import { type BudgetRefusal, reserve, settle } from '../../budget/budget.ts';
import { clearRetries, noteRetry } from '../../budget/gauges.ts';
import { remaining } from '../../budget/view.ts';
import type { KernelEnv } from '../../env.ts';
import {
  type Attempts,
  decideVerdict,
  type FailureDecision,
  type FailureKind,
  NO_ATTEMPTS,
} from '../../query/call/decide-failure.ts';
import { callInDoubt, isAbsorbed, isNeverSent, noteDoubt, openDoubt, settledBy } from '../../query/call/doubt.ts';
import { sendCall } from '../../query/call/tool-call.ts';
import { mayReflect } from '../../query/critic-input/reflection.ts';
import { isInvalidAnswer } from '../../query/gate/escalation-cause.ts';
import { settleStep } from '../../query/plan/estimate-plan.ts';
import { isReactive, routeOf } from '../../query/plan/reactive-route.ts';
import { type SkippedSteps, stepsToSkip } from '../../query/plan/secondary.ts';
import { specOfCall } from '../../query/plan/tools.ts';
import type { ObservedState } from '../../state/call-state.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import { noteFailedCall } from '../../state/loop-guard.ts';
import { withObservation } from '../../state/react-state.ts';
import { hasRule } from '../../state/rules.ts';
import type { CurrentStep, RunState } from '../../state/run-state.ts';
import { vecGet, vecSet } from '../../state/vec.ts';
import { renderVerdict } from '../../transition/checkpoint.ts';
import { dropCurrent, type Reaction } from '../../transition/reaction.ts';
import { canWalk, walk } from '../../transition/walk.ts';
import { escalateOverBudget, escalateRun } from '../people/escalate.ts';
import { advance } from '../plan/advance.ts';
import { askNext, replan } from '../plan/replan.ts';
import { switchAfterFailure } from './degrade.ts';
import { reconcileIfPossible } from './probe.ts';
import { isTripped, startCooldown } from './tool-cooldown.ts';

/** Handles a failed step: counts the attempt, records a doubt, and reconciles the call if possible. */
export function stepFailed(env: KernelEnv, state: RunState, problems: readonly Problem[]): Reaction {
  const current = state.current;
  if (current === null || current.observed === null) throw impossibleEvent('a failure of nothing', state);
  const spec = specOfCall(env, current);
  const counted = noteDoubt(env, countAttempt(state, current), spec);
  const reason = failureReason(current, failureOf(current.observed), problems);
  const reconciling = { ...counted, planning: { ...counted.planning, reason } };
  if (isNeverSent(counted, current)) return continueAfterFailure(env, counted, reason, true);
  return (
    reconcileIfPossible(env, reconciling, current) ?? continueAfterFailure(env, counted, reason, isRepeatable(spec))
  );
}

/** Decides how to continue after a failure, once its outcome is known as far as possible. */
export function continueAfterFailure(
  env: KernelEnv,
  state: RunState,
  reason: PlanReason,
  mayRepeat: boolean,
): Reaction {
  const current = state.current;
  if (current === null || current.observed === null || state.budget === null)
    throw impossibleEvent('a failure of nothing', state);
  const spec = specOfCall(env, current);
  const failure = failureOf(current.observed);
  // A call that may have had its effect is never repeated without a person.
  if (!mayRepeat && isInDoubt(spec, failure))
    return escalateRun(env, noteFinalFailure(state, current), 'call_in_doubt', callInDoubt(current));
  const isDrifted = hasDrifted(spec, current.observed);
  const decision =
    decideOutage(current) ??
    decideVerdict({
      scores: {},
      rubric: env.rubric,
      failure,
      retryable: !isDrifted && mayRepeat,
      left: attemptsLeft(env, state, current, spec),
      exhausted: remaining(state.budget).tool_calls > 0 ? null : 'tool_calls',
      riskHigh: atLeast(state.intake.risk, 'high'),
    });
  const replacement =
    decision.verdict === 'retry'
      ? null
      : switchAfterFailure(env, noteFinalFailure(state, current), current, { failure, decision, reason });
  if (replacement !== null) return replacement;
  const [next, effects] = applyDecision(env, isDrifted ? excludeTool(state, spec) : state, decision, reason);
  return [startCooldown(env, state, next), effects];
}

/** Records that the call failed for good, so that its repetitions do not count as repeated successes. */
const noteFinalFailure = (state: RunState, { tool, argsHash }: CurrentStep): RunState => ({
  ...state,
  guard: noteFailedCall(state.guard, tool, argsHash),
});

const failureOf = ({ outcome }: ObservedState): FailureKind => (outcome === 'ok' ? 'verification_failed' : outcome);

function applyDecision(env: KernelEnv, before: RunState, decision: FailureDecision, reason: PlanReason): Reaction {
  const current = before.current;
  if (current === null) throw impossibleEvent('a verdict on nothing', before);
  const verdict = routeFailure(env, before, current, decision.verdict);
  if (verdict === 'retry') return retry(env, before, current);
  const state = noteFinalFailure(before, current);
  const failed = noteFailure(env, state, current, reason);
  const skipped = stepsSkippedWith(env, state, current, decision);
  if (skipped !== null) return giveUpStep(env, failed, current, withExhaustedRetries(reason, decision), skipped);
  if (verdict === 'replan') {
    const [judged, checkpoint] = renderVerdict(env, failed, 'replan', current.stepId);
    const repaired = { ...judged, counters: { ...judged.counters, repairsInARow: judged.counters.repairsInARow + 1 } };
    const why = withExhaustedRetries(reason, decision);
    const { code } = endingFor(state, reason);
    const trigger = code === 'PERMISSION_DENIED' ? 'permission_denied' : 'repeated_failure';
    const [next, effects] =
      returnToOrchestrator(env, repaired, why) ?? replan(env, repaired, { reason: why, trigger, code });
    return [next, [...checkpoint, ...effects]];
  }
  if (decision.reason.code === 'budget_exhausted') {
    return escalateOverBudget(env, state, { dimension: 'tool_calls', needed: 1, left: 0 });
  }
  const { trigger, code } = decision.reason.code === MISCONFIGURED ? OUTAGE : endingFor(state, reason);
  return escalateRun(env, state, trigger, {
    code,
    reason: decision.reason.code,
    detail: { ...decision.reason.detail, step_id: current.stepId, message: reason.message },
  });
}

const MISCONFIGURED = 'model_misconfigured';
const OUTAGE = { trigger: 'provider_outage', code: 'UNAVAILABLE_DEP' } as const;

/** A misconfigured model needs a new configuration, so the step is neither retried nor replanned. */
function decideOutage({ tool, observed }: CurrentStep): FailureDecision | null {
  if (observed?.misconfigured === undefined) return null;
  return { verdict: 'escalate', reason: { code: MISCONFIGURED, detail: { dependency: tool } } };
}

/** The escalation trigger and the terminal code of a failure with no attempts left. */
function endingFor(
  state: RunState,
  { code }: PlanReason,
): { readonly trigger: EscalationTrigger; readonly code: TerminalCode } {
  if (isInvalidAnswer(state, code)) return { trigger: 'validation_failed', code: 'VALIDATION_FAIL' };
  // A denied tool has not failed: the run lacks the permission.
  if (code === 'denied') return { trigger: 'permission_denied', code: 'PERMISSION_DENIED' };
  return { trigger: 'repeated_failure', code: 'REPEATED_FAILURE' };
}

/**
 * Retries the same step after a pause. The maximum pause doubles with each failure in a row, with jitter so that runs
 * that failed together do not retry together. The jitter is derived from the call, so replay waits as long.
 */
function retry(env: KernelEnv, state: RunState, current: CurrentStep): Reaction {
  if (state.budget === null) throw impossibleEvent('a retry without a budget', state);
  const inARow = state.budget.retries_in_a_row;
  const counted = noteRetry(state.budget);
  if (!counted.ok) return escalateOverBudget(env, state, counted);
  const [judged, checkpoint] = renderVerdict(env, { ...state, budget: counted.budget }, 'retry', current.stepId);
  const retrying: RunState = {
    ...judged,
    current: {
      ...current,
      reserved: null,
      notBefore: state.now + jitter(env, current, env.limits.retryBaseMs * 2 ** Math.min(inARow, 16)),
    },
  };
  const [next, effects] = advance(env, walk(env, retrying, 'repair'));
  return [next, [...checkpoint, ...effects]];
}

/** Adds to the planner's reason that no retry is left, and in which scope. */
function withExhaustedRetries(reason: PlanReason, { reason: { code, detail } }: FailureDecision): PlanReason {
  if (code !== 'retry_budget_exhausted') return reason;
  return { ...reason, detail: { ...reason.detail, cause: code, scope: detail['scope'] ?? 'workflow' } };
}

export function jitter(env: KernelEnv, { call, attempt }: CurrentStep, maxMs: number): number {
  const fraction = Number.parseInt(env.hash(`${call?.key ?? ''}\n${attempt}`).slice(0, 8), 16) / 2 ** 32;
  return Math.floor(fraction * (maxMs + 1));
}

/**
 * The steps that are skipped with the failed one; null if the run does not go on without it. A step that is not optional
 * is given up only if its call failed: an invalid answer, a denial, a missing model and a spent budget have codes of
 * their own.
 */
function stepsSkippedWith(
  env: KernelEnv,
  state: RunState,
  current: CurrentStep,
  { reason: { code } }: FailureDecision,
): SkippedSteps | null {
  const skipped = stepsToSkip(env, state, current);
  const outcome = current.observed?.outcome;
  const hasFailed = outcome === 'error' || outcome === 'timeout';
  const isCallsFault = code !== MISCONFIGURED && code !== 'budget_exhausted';
  return skipped === 'rest' && !(hasFailed && isCallsFault) ? null : skipped;
}

/** Commits a step as failed and continues without it. */
function giveUpStep(
  env: KernelEnv,
  state: RunState,
  current: CurrentStep,
  reason: PlanReason,
  skipped: SkippedSteps,
): Reaction {
  const active = state.planning.active;
  if (active === null) throw impossibleEvent('a step without a plan', state);
  const [judged, checkpoint] = renderVerdict(env, state, 'accept', current.stepId);
  const failed = { status: 'failed' as const, attempts: current.attempt, fact: null };
  const settledWork = settleStep(env, active, judged, current.index, failed, skipped);
  const work = { ...judged.work, ...settledWork, version: judged.work.version + 1 };
  const noted: RunState = {
    ...judged,
    work,
    current: { ...current, rung: 'committed' },
    planning: { ...judged.planning, reason },
    budget: judged.budget === null ? null : clearRetries(judged.budget),
    counters: { ...judged.counters, repairsInARow: 0 },
  };
  const settled = { ...walk(env, noted, 'state_update', 'completion_check'), current: null };
  const [next, effects] = advance(env, settled);
  return [next, [...checkpoint, ...effects]];
}

const isInDoubt = (spec: ToolSpec, failure: FailureKind): boolean =>
  spec.side_effect && spec.idempotency.kind === 'none' && (failure === 'timeout' || failure === 'cancelled');

/** Whether a second dispatch of the same call is harmless. A second dispatch of a lane would open another lane. */
export const isRepeatable = (spec: ToolSpec): boolean =>
  !spec.side_effect || (spec.idempotency.kind !== 'none' && spec.lane === undefined);

export function countAttempt(state: RunState, current: CurrentStep): RunState {
  const before = vecGet(state.work.progress, current.index);
  if (before === undefined) throw impossibleEvent('a step without progress', state);
  const progress = vecSet(state.work.progress, current.index, { ...before, attempts: current.attempt });
  return { ...state, work: { ...state.work, progress } };
}

/** The attempts left: retries per step and in a row, replans per run and repairs in a row. */
function attemptsLeft(env: KernelEnv, state: RunState, current: CurrentStep, spec: ToolSpec): Attempts {
  if (state.budget === null || !canWalk(env, state, 'repair')) return NO_ATTEMPTS;
  const left = remaining(state.budget);
  const perStep = spec.retries_max - (current.attempt - 1);
  const perRun = Math.min(
    state.budget.caps.retry_count_max - state.budget.retries_in_a_row,
    env.limits.retriesPerRunMax - state.budget.retries_total,
  );
  // A reactive run decides every step, so a decision after a failure is no replan. Only failures in a row count.
  const replans = isReactive(env) ? Number.MAX_SAFE_INTEGER : left.replan_attempts;
  const ruling = mayReflect('tool_failure', state.counters.repairsInARow, Number.MAX_SAFE_INTEGER);
  return {
    // A tool that this run gave up on gets one try.
    retries: isTripped(state, current.tool) ? 0 : Math.min(perStep, perRun),
    scope: perStep <= perRun ? 'step' : 'workflow',
    replans: ruling.allow ? Math.min(replans, ruling.passesLeft) : 0,
    reflections: left.reflection_passes,
  };
}

function failureReason(current: CurrentStep, failure: FailureKind, problems: readonly Problem[]): PlanReason {
  const { outcome = 'error', detail = '' } = current.observed ?? {};
  const found = problems.map((problem) => `${problem.path} ${problem.message}`.trim()).join('; ');
  const message =
    outcome !== 'ok' && detail !== ''
      ? `${current.tool} failed: ${detail}`
      : [detail, found].filter((part) => part !== '').join(': ');
  return {
    code: failure === 'verification_failed' ? 'tool_result_invalid' : failure,
    step_id: current.stepId,
    message: message === '' ? failure : message,
    detail: { tool: current.tool, outcome, attempt: current.attempt },
  };
}

/** The verdict on a failure; in reactive mode, the one that its route leads to. */
function routeFailure(env: KernelEnv, state: RunState, { tool }: CurrentStep, verdict: StepVerdict): StepVerdict {
  if (verdict === 'escalate' || !isReactive(env)) return verdict;
  const error = { retriable: verdict === 'retry', capability: tool, code: '' };
  return routeOf(env, { ...state, react: { ...state.react, error } }).to === 'capability' ? 'retry' : 'replan';
}

/** Adds the failure to the history of a reactive run. */
function noteFailure(env: KernelEnv, state: RunState, current: CurrentStep, reason: PlanReason): RunState {
  if (!isReactive(env)) return state;
  const { stepId: step_id, tool, observed } = current;
  const outcome = observed?.outcome ?? 'error';
  const trusted = specOfCall(env, current).trusted && !isUntrusted(current.origin);
  const seen = { step_id, tool, outcome, value: null, detail: reason.message, trusted };
  const error = { retriable: false, capability: tool, code: reason.code };
  return { ...state, react: withObservation(state.react, seen, error) };
}

/**
 * Returns a reactive run to its orchestrator with the error, without using a replan. Null if the graph has no edge back
 * or too many steps failed in a row.
 */
function returnToOrchestrator(env: KernelEnv, failed: RunState, reason: PlanReason): Reaction | null {
  if (!isReactive(env) || !canWalk(env, failed, 'repair')) return null;
  const repairing = walk(env, failed, 'repair');
  return canWalk(env, repairing, 'plan') ? askNext(env, dropCurrent(repairing), reason) : null;
}

/** Names of fields that hold the version of an answer. */
const VERSION_FIELD = /^(\$schema|v|([a-z0-9]+[_-])*version|[a-z]+Version)$/;

/**
 * Whether the answer reports another version than the output schema fixes. A retry would not help: the provider has
 * changed, and the meaning of its fields with it.
 */
function hasDrifted({ output_schema }: ToolSpec, { outcome, raw }: ObservedState): boolean {
  const properties = output_schema['properties'];
  if (outcome !== 'ok' || !isJsonObject(raw) || properties === undefined || !isJsonObject(properties)) return false;
  return Object.entries(properties).some(([name, schema]) => {
    if (!VERSION_FIELD.test(name)) return false;
    const actual = own(raw, name);
    const fixed = isJsonObject(schema) ? own(schema as JsonObject, 'const') : undefined;
    return fixed !== undefined && actual !== undefined && !sameJson(fixed, actual);
  });
}

/** Excludes the tool for the rest of the run. Its answers stay recorded. */
function excludeTool(state: RunState, { name }: ToolSpec): RunState {
  const before = state.planning.setAside ?? [];
  return { ...state, planning: { ...state.planning, setAside: [...before, name] } };
}

/** Recovers a call that a dead process may have sent: with the reconcile probe, if there is one. */
export function recoverCall(env: KernelEnv, state: RunState): Reaction {
  const { current } = state;
  if (current?.call == null) throw impossibleEvent('a call in flight that was never attempted', state);
  const withoutFlight = { ...state, ending: { ...state.ending, inFlight: null } };
  const noted = noteDoubt(env, withoutFlight, specOfCall(env, current));
  return reconcileIfPossible(env, noted, current) ?? sendAgain(env, noted);
}

/**
 * Sends the call again under the same key, once the first dispatch can no longer be in flight. This requires that a
 * second dispatch is harmless: by nature, by its key, or because the first was never sent. Otherwise a person decides.
 */
export function sendAgain(env: KernelEnv, state: RunState): Reaction {
  const { current, now } = state;
  if (current?.call == null) throw impossibleEvent('a call that was never attempted', state);
  const spec = specOfCall(env, current);
  const { callId, key, timeoutMs } = current.call;
  const not_before = spec.side_effect ? settledBy(current.call) : 0;
  const dispatch_before = Math.max(not_before, now) + env.limits.dispatchWindowMs;
  const doubt = openDoubt(state, current);
  if (doubt !== null && !isAbsorbed(spec, doubt, dispatch_before)) {
    return escalateRun(env, countAttempt(state, current), 'call_in_doubt', callInDoubt(current));
  }
  const paid = payResend(state, current);
  if (!paid.ok) return escalateOverBudget(env, countAttempt(state, current), paid);
  // The next recovery has to wait for this dispatch and reconcile it.
  const resent: RunState = {
    ...state,
    budget: paid.budget,
    current: {
      ...current,
      reserved: paid.reserved,
      call: { ...current.call, dispatchBefore: dispatch_before, reconciled: false },
    },
    ending: { ...state.ending, inFlight: 'call' },
  };
  const sent = sendCall(env, current, callId, key);
  return [resent, [{ ...sent, timeout_ms: timeoutMs, not_before, dispatch_before }]];
}

type PaidResend =
  | { readonly ok: true; readonly budget: RunState['budget']; readonly reserved: CurrentStep['reserved'] }
  | BudgetRefusal;

/**
 * Charges the first dispatch in full, because its cost is unknown, and reserves another tool call. The repeat has the
 * same key, so it is neither another step nor another side effect. A rollback has no caps.
 */
function payResend(state: RunState, { reserved }: CurrentStep): PaidResend {
  const { budget } = state;
  if (budget === null || reserved === null || !hasRule(state, 'resends_charged')) return { ok: true, budget, reserved };
  const need = { ...reserved, steps: 0, side_effects: 0 };
  const again = reserve(settle(budget, reserved, reserved, 'executor').budget, need, 'executor');
  return again.ok ? { ok: true, budget: again.budget, reserved: need } : again;
}
