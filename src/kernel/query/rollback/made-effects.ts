import { isUntrusted } from '../../../model/evidence/origin.ts';
import { type Stop, TERMINAL_CODE_TABLE } from '../../../model/fault/terminal-code.ts';
import type { Json } from '../../../model/json/json.ts';
import type { PlanStep } from '../../../model/plan/plan.ts';
import type { EffectOutcome } from '../../../model/tool/effect-outcome.ts';
import { type RealCall, realCalls } from '../../../model/tool/inner-call.ts';
import type { ToolOutcome } from '../../../model/tool/tool.ts';
import type { KernelEnv } from '../../env.ts';
import type { Doubt, MadeEffect } from '../../state/call-state.ts';
import { isRollingBack, statusFor } from '../../state/lifecycle.ts';
import type { CurrentStep, Fact, RunState, Work } from '../../state/run-state.ts';
import { vecOf, vecPush, vecToArray } from '../../state/vec.ts';
import { NO_DOUBTS } from '../call/doubt.ts';
import { specOf, specOfCall } from '../plan/tools.ts';

/** The effects of the run, including the step that is being committed. */
export function effectsWith(
  env: KernelEnv,
  { work, now }: RunState,
  current: CurrentStep,
  fact: Fact,
): Work['effects'] {
  const made = effectOf(env, current, now, fact.value, fact.trusted);
  return made === null ? work.effects : vecPush(work.effects, made);
}

/** All known effects in order, including a call that succeeded while the run was being stopped. */
export function madeEffects(env: KernelEnv, { work, current, now }: RunState): readonly MadeEffect[] {
  const committed = vecToArray(work.effects);
  if (current === null || !isSuccessful(env, current) || current.observed === null) return committed;
  const uncommitted = effectOf(env, current, now, current.observed.raw, false);
  return uncommitted === null ? committed : [...committed, uncommitted];
}

/** Whether the result is verified or has its declared shape. Other results do not show that the call succeeded. */
function isSuccessful({ tools }: KernelEnv, { rung, observed, tool }: CurrentStep): boolean {
  if (rung === 'verified') return true;
  if (rung !== 'observed' || observed?.outcome !== 'ok') return false;
  return (observed.stored?.problems ?? tools.checkOutput(tool, observed.raw)).length === 0;
}

/**
 * A call that was sent, and returned an invalid result or was cancelled while the run was being stopped. It is listed
 * because it may have had an effect.
 */
export function unclearEffects(env: KernelEnv, { current, now }: RunState): readonly EffectOutcome[] {
  const { rung, observed } = current ?? {};
  if (current == null || observed == null || rung !== 'observed' || isSuccessful(env, current)) return [];
  const reason = UNCLEAR[observed.outcome];
  if (reason === undefined || observed.unsent === true) return [];
  const made = effectOf(env, current, now, null, false);
  return made === null ? [] : [{ ...standingOutcome(made), outcome: 'unknown', reason }];
}

const UNCLEAR: Partial<Readonly<Record<ToolOutcome, string>>> = {
  ok: 'tool_result_invalid',
  malformed: 'tool_result_invalid',
  cancelled: 'call_in_doubt',
  timeout: 'call_in_doubt',
};

function effectOf(
  env: KernelEnv,
  current: CurrentStep,
  doneAt: number,
  result: Json,
  trusted: boolean,
): MadeEffect | null {
  const { call, stepId, tool, args, argsHash, attempt, origin } = current;
  if (call === null || !specOfCall(env, current).side_effect) return null;
  const passedOn = specOf(env, tool).unwrap === undefined ? null : findCompensable(env, current);
  return {
    ...(passedOn === null ? {} : { innerCall: passedOn }),
    callId: call.callId,
    stepId,
    tool,
    args,
    argsHash,
    key: call.key,
    attempt,
    doneAt,
    result,
    trusted: trusted && !isUntrusted(origin),
    compensate: specOf(env, passedOn?.tool ?? tool).probes?.compensate ?? null,
  };
}

/** The innermost call that can be compensated: it describes the effect better than its dispatcher does. */
function findCompensable({ tools }: KernelEnv, { tool, args }: CurrentStep): RealCall | null {
  const calls = realCalls({ tool, args }, (name) => tools.get(name)) ?? [];
  return calls.slice(1).findLast((call) => tools.get(call.tool)?.probes?.compensate !== undefined) ?? null;
}

/**
 * Whether an ending abandons the effects: the run was stopped, rejected or failed. Completed and expired runs keep
 * them, and a run that was unsafe, hit an internal error or a kill switch makes no further calls.
 */
export function abandonsEffects({ code, reason }: Stop): boolean {
  const status = statusFor(code, reason);
  if (status === 'completed' || status === 'expired') return false;
  return TERMINAL_CODE_TABLE[code].takes_back && reason !== 'internal' && reason !== 'kill_switch_on';
}

/** The outcome of each effect, in the order they were made. Effects that were not compensated stand. */
export function effectsLeft({ work, ending }: RunState): readonly EffectOutcome[] {
  // Settled outcomes without a committed effect come last, in their own order.
  const settled = new Map((ending.rollback?.settled ?? []).map((outcome) => [outcome.call_id, outcome]));
  const outcomes = vecToArray(work.effects).map((made) => {
    const outcome = settled.get(made.callId) ?? standingOutcome(made);
    settled.delete(made.callId);
    return outcome;
  });
  return [...outcomes, ...settled.values()];
}

const standingOutcome = (made: MadeEffect): EffectOutcome => ({
  call_id: made.callId,
  step_id: made.stepId,
  tool: made.tool,
  compensation: made.compensate,
  compensated_by: null,
  outcome: 'stands',
  reason: standingReason(made),
});

function standingReason({ compensate, ofParent }: MadeEffect): string {
  if (ofParent === true) return 'made_by_parent';
  return compensate === null ? 'no_compensation' : 'not_taken_back';
}

/** The step of the current call: a step of the plan, or a compensation, which is in no plan. */
export function currentPlanStep(state: RunState): PlanStep | undefined {
  const { current, planning } = state;
  if (current === null) return undefined;
  if (isRollingBack(state)) return { id: current.stepId, tool: current.tool };
  return planning.active?.plan.steps[current.index];
}

/**
 * The work of the parent as seen by a fork. The parent compensates its own effects or leaves them, so the fork must
 * not. A call of the parent in doubt is not sent again under its key, because the parent's ledger has its outcome.
 */
export function workOfParent(work: Work): Work {
  const effects = vecToArray(work.effects).map((made): MadeEffect => ({ ...made, ofParent: true }));
  return { ...work, effects: vecOf(effects), doubts: markForeign(work.doubts) };
}

/** An approval to repeat a call was given to the parent. The fork needs its own. */
function markForeign(doubts: Work['doubts']): Work['doubts'] {
  if (doubts === NO_DOUBTS) return doubts;
  const toForeign = (doubt: Doubt): Doubt => ({ ...doubt, decided: false, foreign: true });
  return Object.fromEntries(Object.entries(doubts).map(([call, doubt]) => [call, toForeign(doubt)]));
}

/**
 * Marks a stop as a confirmed compromise of credentials, with the rule or person that confirmed it. Credentials are
 * revoked only after such a stop.
 */
export function markCompromised(stop: Stop, by: string): Stop {
  return { ...stop, detail: { ...stop.detail, compromise_confirmed_by: by } };
}

/** The rule or person that confirmed the compromise; null if it is only suspected. */
export function confirmedBy({ code, detail = {} }: Stop): string | null {
  const by = detail['compromise_confirmed_by'];
  return code === 'UNSAFE_DETECTION' && typeof by === 'string' ? by : null;
}
