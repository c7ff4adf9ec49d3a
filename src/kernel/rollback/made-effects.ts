import type { EffectOutcome } from '../../model/effect-outcome.ts';
import { type RealCall, realCalls } from '../../model/inner-call.ts';
import type { Json } from '../../model/json.ts';
import { isUntrusted } from '../../model/origin.ts';
import type { Stop } from '../../model/stop.ts';
import type { ToolOutcome } from '../../model/tool.ts';
import type { KernelEnv } from '../env.ts';
import { statusFor } from '../lifecycle.ts';
import { specOfCall } from '../real-tools.ts';
import { specOf } from '../spec-of.ts';
import type { CurrentStep, Fact, RunState, Work } from '../state.ts';
import { vecPush, vecToArray } from '../vec.ts';
import type { MadeEffect } from './rollback.ts';

/** What the run has changed, with the step that is being committed, for the case that it is abandoned. */
export function effectsWith(
  env: KernelEnv,
  { work, now }: RunState,
  current: CurrentStep,
  fact: Fact,
): Work['effects'] {
  const made = effectOf(env, current, now, fact.value, fact.trusted);
  return made === null ? work.effects : vecPush(work.effects, made);
}

/**
 * Everything that is known to have been changed, in order. A call that came back well while the run was being stopped
 * is among it: nothing has been made of its answer, and its effect is there all the same.
 */
export function madeEffects(env: KernelEnv, { work, current, now }: RunState): readonly MadeEffect[] {
  const committed = vecToArray(work.effects);
  if (current === null || !cameBackWell(env, current) || current.observed === null) return committed;
  const late = effectOf(env, current, now, current.observed.raw, false);
  return late === null ? committed : [...committed, late];
}

/** Verified, or at least in the shape that its tool declares: anything else says nothing about what was done. */
function cameBackWell({ tools }: KernelEnv, { rung, observed, tool }: CurrentStep): boolean {
  if (rung === 'verified') return true;
  if (rung !== 'observed' || observed?.outcome !== 'ok') return false;
  return (observed.stored?.problems ?? tools.checkOutput(tool, observed.raw)).length === 0;
}

/**
 * A call that was sent and, while the run was being stopped, answered nonsense or was called back before it answered:
 * nobody knows whether there is something to take back, and that is said.
 */
export function unclearEffects(env: KernelEnv, { current, now }: RunState): readonly EffectOutcome[] {
  const { rung, observed } = current ?? {};
  if (current == null || observed == null || rung !== 'observed' || cameBackWell(env, current)) return [];
  const reason = UNCLEAR[observed.outcome];
  if (reason === undefined || observed.unsent === true) return [];
  const made = effectOf(env, current, now, null, false);
  return made === null ? [] : [{ ...standing(made), outcome: 'unknown', reason }];
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
  const passedOn = specOf(env, tool).unwrap === undefined ? null : innermost(env, current);
  return {
    ...(passedOn === null ? {} : { passedOn }),
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

/** The innermost call that can be taken back: an envelope says less about how than what was in it. */
function innermost({ tools }: KernelEnv, { tool, args }: CurrentStep): RealCall | null {
  const calls = realCalls({ tool, args }, (name) => tools.get(name)) ?? [];
  return calls.slice(1).findLast((call) => tools.get(call.tool)?.probes?.compensate !== undefined) ?? null;
}

/**
 * Whether an ending abandons what was done: somebody stopped the run, turned it down, or it failed. What ended well
 * stands; where time for people is over nobody is left to ask; and what was found unsafe, or has met a mistake of our
 * own, does nothing more at all.
 */
export function abandons({ code, reason }: Stop): boolean {
  const status = statusFor(code, reason);
  if (status === 'completed' || status === 'expired') return false;
  return code !== 'UNSAFE_DETECTION' && reason !== 'internal' && reason !== 'kill_switch_on';
}

/** What became of each effect, in the order in which they were made. Whatever nobody took back stands. */
export function effectsLeft({ work, ending }: RunState): readonly EffectOutcome[] {
  // What is settled keeps its order, and what was made takes its own place before it.
  const settled = new Map((ending.rollback?.settled ?? []).map((outcome) => [outcome.call_id, outcome]));
  const listed = vecToArray(work.effects).map((made) => {
    const outcome = settled.get(made.callId) ?? standing(made);
    settled.delete(made.callId);
    return outcome;
  });
  return [...listed, ...settled.values()];
}

const standing = (made: MadeEffect): EffectOutcome => ({
  call_id: made.callId,
  step_id: made.stepId,
  tool: made.tool,
  compensation: made.compensate,
  compensated_by: null,
  outcome: 'stands',
  reason: whyItStands(made),
});

function whyItStands({ compensate, ofParent }: MadeEffect): string {
  if (ofParent === true) return 'made_by_parent';
  return compensate === null ? 'no_compensation' : 'not_taken_back';
}
