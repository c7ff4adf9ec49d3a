import type { PlanReason } from '../model/effect.ts';
import type { EscalationTrigger } from '../model/escalation.ts';
import type { Problem } from '../model/problem.ts';
import { atLeast } from '../model/risk.ts';
import type { TerminalCode } from '../model/terminal-code.ts';
import type { ToolSpec } from '../model/tool.ts';
import { advance } from './advance.ts';
import { askWhatHappened } from './ask-probe.ts';
import { clearRetries, noteRetry } from './budget-gauge.ts';
import { remaining } from './budget-view.ts';
import { renderVerdict } from './checkpointing.ts';
import { type Attempts, type Decision, decide, type FailureKind, NO_ATTEMPTS } from './decide.ts';
import { switchAfter } from './degrade.ts';
import { callInDoubt, neverSent, noteDoubt } from './doubt.ts';
import { hasDrifted, setAside } from './drift.ts';
import type { KernelEnv } from './env.ts';
import { escalateRun, overBudget } from './escalate-run.ts';
import { settleStep } from './next-step.ts';
import { impossible, type Reaction } from './reaction.ts';
import { afterFailure, recover, withFailure } from './reactive/recover.ts';
import { isReactive } from './reactive/route-of.ts';
import { specOfCall } from './real-tools.ts';
import { mayReflect } from './reflect.ts';
import { replan } from './replan.ts';
import type { CurrentStep, ObservedState, RunState } from './state.ts';
import { isTripped, tripIfGivenUp } from './tripped.ts';
import { vecGet, vecSet } from './vec.ts';
import { canWalk, walk } from './walk.ts';

/** A step came back with something else than what was planned. The failure is recorded; now it is decided about. */
export function stepFailed(env: KernelEnv, state: RunState, problems: readonly Problem[]): Reaction {
  const current = state.current;
  if (current === null || current.observed === null) throw impossible('a failure of nothing', state);
  const spec = specOfCall(env, current);
  const counted = noteDoubt(env, countAttempt(state, current), spec);
  const reason = failureReason(current, failureOf(current.observed), problems);
  const asking = { ...counted, planning: { ...counted.planning, reason } };
  if (neverSent(counted, current)) return goOnAfter(env, counted, reason, true);
  return askWhatHappened(env, asking, current) ?? goOnAfter(env, counted, reason, repeatable(spec));
}

/** What is done about a failure, once as much is known about it as can be. */
export function goOnAfter(env: KernelEnv, state: RunState, reason: PlanReason, mayRepeat: boolean): Reaction {
  const current = state.current;
  if (current === null || current.observed === null || state.budget === null)
    throw impossible('a failure of nothing', state);
  const spec = specOfCall(env, current);
  const failure = failureOf(current.observed);
  // A call that may have had its effect is never simply made again: a person says what became of it.
  if (!mayRepeat && inDoubt(spec, failure)) return escalateRun(env, state, 'call_in_doubt', callInDoubt(current));
  const drifted = hasDrifted(spec, current.observed);
  const decision =
    outageOf(current) ??
    decide({
      scores: {},
      rubric: env.rubric,
      failure,
      retryable: !drifted && mayRepeat,
      left: attemptsLeft(env, state, current, spec),
      exhausted: remaining(state.budget).tool_calls > 0 ? null : 'tool_calls',
      riskHigh: atLeast(state.intake.risk, 'high'),
    });
  const other = decision.verdict === 'retry' ? null : switchAfter(env, state, current, { failure, decision, reason });
  if (other !== null) return other;
  const [next, effects] = decided(env, drifted ? setAside(state, spec) : state, decision, reason);
  return [tripIfGivenUp(env, state, next), effects];
}

const failureOf = ({ outcome }: ObservedState): FailureKind => (outcome === 'ok' ? 'verification_failed' : outcome);

function decided(env: KernelEnv, state: RunState, decision: Decision, reason: PlanReason): Reaction {
  const current = state.current;
  if (current === null) throw impossible('a verdict on nothing', state);
  const verdict = afterFailure(env, state, current, decision.verdict);
  if (verdict === 'retry') return retry(env, state, current);
  const failed = withFailure(env, state, current, reason);
  if (isOptional(state, current)) return giveUp(env, failed, current, told(reason, decision));
  if (verdict === 'replan') {
    const [judged, checkpoint] = renderVerdict(env, failed, 'replan', current.stepId);
    const repaired = { ...judged, counters: { ...judged.counters, repairsInARow: judged.counters.repairsInARow + 1 } };
    const why = told(reason, decision);
    const { code } = endingFor(reason);
    const trigger = code === 'PERMISSION_DENIED' ? 'permission_denied' : 'repeated_failure';
    const [next, effects] = recover(env, repaired, why) ?? replan(env, repaired, { reason: why, trigger, code });
    return [next, [...checkpoint, ...effects]];
  }
  if (decision.reason.code === 'budget_exhausted') {
    return overBudget(env, state, { dimension: 'tool_calls', needed: 1, left: 0 });
  }
  const { trigger, code } = decision.reason.code === MISCONFIGURED ? OUTAGE : endingFor(reason);
  return escalateRun(env, state, trigger, {
    code,
    reason: decision.reason.code,
    detail: { ...decision.reason.detail, step_id: current.stepId, message: reason.message },
  });
}

const MISCONFIGURED = 'model_misconfigured';
const OUTAGE = { trigger: 'provider_outage', code: 'UNAVAILABLE_DEP' } as const;

/** What only another configuration can help is not tried again, and not planned around: as with a planner's own model. */
function outageOf({ tool, observed }: CurrentStep): Decision | null {
  if (observed?.misconfigured === undefined) return null;
  return { verdict: 'escalate', reason: { code: MISCONFIGURED, detail: { dependency: tool } } };
}

/** Who is told of a failure that nothing is left to try against, and how the run ends if they do not help. */
function endingFor({ code }: PlanReason): { readonly trigger: EscalationTrigger; readonly code: TerminalCode } {
  if (code === 'tool_result_invalid') return { trigger: 'validation_failed', code: 'VALIDATION_FAIL' };
  // A tool that may not be used is no failure of the tool: what is missing is the permission.
  if (code === 'denied') return { trigger: 'permission_denied', code: 'PERMISSION_DENIED' };
  return { trigger: 'repeated_failure', code: 'REPEATED_FAILURE' };
}

/**
 * The same step of the same plan again, after a pause. Its bound doubles with every failure in a row; how much of it is
 * waited is left to chance, so that runs that failed together do not come back together. The chance is in the call: a
 * replay waits just as long.
 */
function retry(env: KernelEnv, state: RunState, current: CurrentStep): Reaction {
  if (state.budget === null) throw impossible('a retry without a budget', state);
  const inARow = state.budget.retries_in_a_row;
  const counted = noteRetry(state.budget);
  if (!counted.ok) return overBudget(env, state, counted);
  const [judged, checkpoint] = renderVerdict(env, { ...state, budget: counted.budget }, 'retry', current.stepId);
  const again: RunState = {
    ...judged,
    current: {
      ...current,
      reserved: null,
      notBefore: state.now + jitter(env, current, env.limits.retryBaseMs * 2 ** Math.min(inARow, 16)),
    },
  };
  const [next, effects] = advance(env, walk(env, again, 'repair'));
  return [next, [...checkpoint, ...effects]];
}

/** That no retry is left, and whose, is part of what whoever plans next has to know. */
function told(reason: PlanReason, { reason: { code, detail } }: Decision): PlanReason {
  if (code !== 'retry_budget_exhausted') return reason;
  return { ...reason, detail: { ...reason.detail, cause: code, scope: detail['scope'] ?? 'workflow' } };
}

export function jitter(env: KernelEnv, { call, attempt }: CurrentStep, most: number): number {
  const chance = Number.parseInt(env.hash(`${call?.key ?? ''}\n${attempt}`).slice(0, 8), 16) / 2 ** 32;
  return Math.floor(chance * (most + 1));
}

/** Secondary work that failed is committed as the failure it was, and the run goes on without it. */
function giveUp(env: KernelEnv, state: RunState, current: CurrentStep, reason: PlanReason): Reaction {
  const active = state.planning.active;
  if (active === null) throw impossible('a step without a plan', state);
  const [judged, checkpoint] = renderVerdict(env, state, 'accept', current.stepId);
  const failed = { status: 'failed' as const, attempts: current.attempt, fact: null };
  const settledWork = settleStep(env, active, judged, current.index, failed);
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

const inDoubt = (spec: ToolSpec, failure: FailureKind): boolean =>
  spec.side_effect && spec.idempotency.kind === 'none' && (failure === 'timeout' || failure === 'cancelled');

/** Whether a second dispatch of the same call is harmless. A lane is found again by its call; a second one is another. */
export const repeatable = (spec: ToolSpec): boolean =>
  !spec.side_effect || (spec.idempotency.kind !== 'none' && spec.lane === undefined);

const isOptional = (state: RunState, current: CurrentStep): boolean =>
  state.planning.active?.plan.steps[current.index]?.optional === true;

export function countAttempt(state: RunState, current: CurrentStep): RunState {
  const before = vecGet(state.work.progress, current.index);
  if (before === undefined) throw impossible('a step without progress', state);
  const progress = vecSet(state.work.progress, current.index, { ...before, attempts: current.attempt });
  return { ...state, work: { ...state.work, progress } };
}

/** Retries are bounded per step by its tool and in a row by the run; re-plans by the run and by repairs in a row. */
function attemptsLeft(env: KernelEnv, state: RunState, current: CurrentStep, spec: ToolSpec): Attempts {
  if (state.budget === null || !canWalk(env, state, 'repair')) return NO_ATTEMPTS;
  const left = remaining(state.budget);
  const perStep = spec.retries_max - (current.attempt - 1);
  const perRun = Math.min(
    state.budget.caps.retry_count_max - state.budget.retries_in_a_row,
    env.limits.retriesPerRunMax - state.budget.retries_total,
  );
  // Where each step is decided anyway, deciding after a failure is no re-plan: only failures in a row are counted.
  const replans = isReactive(env) ? Number.MAX_SAFE_INTEGER : left.replan_attempts;
  const ruling = mayReflect('tool_failure', state.counters.repairsInARow, Number.MAX_SAFE_INTEGER);
  return {
    // A tool that the run had given up on is tried once.
    retries: isTripped(state, current.tool) ? 0 : Math.min(perStep, perRun),
    scope: perStep <= perRun ? 'step' : 'workflow',
    replans: ruling.allow ? Math.min(replans, ruling.passesLeft) : 0,
    reflections: left.reflection_passes,
  };
}

function failureReason(current: CurrentStep, failure: FailureKind, problems: readonly Problem[]): PlanReason {
  const found = problems.map((problem) => `${problem.path} ${problem.message}`.trim()).join('; ');
  const message = [current.observed?.detail ?? '', found].filter((part) => part !== '').join(': ');
  return {
    code: failure === 'verification_failed' ? 'tool_result_invalid' : failure,
    step_id: current.stepId,
    message: message === '' ? failure : message,
    detail: { tool: current.tool, outcome: current.observed?.outcome ?? 'error', attempt: current.attempt },
  };
}
