import { askWhatHappened } from './ask-probe.ts';
import { FROM_CACHE } from './degrade.ts';
import { callInDoubt, doubtAbout, isAbsorbed, noteDoubt, overBy } from './doubt.ts';
import type { KernelEnv } from './env.ts';
import { escalateRun } from './escalate-run.ts';
import { impossible, type Reaction } from './reaction.ts';
import { specOfCall, toolsBehind } from './real-tools.ts';
import type { RunState } from './state.ts';
import { countAttempt } from './step-failed.ts';
import { toolCall } from './tool-call.ts';

/** The call was sent, perhaps, and whoever sent it is gone. A probe says what happened, if there is one. */
export function recoverCall(env: KernelEnv, state: RunState): Reaction {
  const { current } = state;
  if (current?.call == null) throw impossible('a call in flight that was never attempted', state);
  const grounded = { ...state, ending: { ...state.ending, inFlight: null } };
  const noted = noteDoubt(env, grounded, specOfCall(env, current));
  return askWhatHappened(env, noted, current) ?? sendAgain(env, noted);
}

/**
 * Where a second dispatch is harmless, by nature, by its key, or because it would be the first, the call is sent again
 * with the same key, but only when the first can no longer be on its way; otherwise a person decides.
 */
export function sendAgain(env: KernelEnv, state: RunState): Reaction {
  const { current, now } = state;
  if (current?.call == null) throw impossible('a call that was never attempted', state);
  const spec = specOfCall(env, current);
  const { callId, key, timeoutMs } = current.call;
  const not_before = spec.side_effect ? overBy(current.call) : 0;
  const dispatch_before = Math.max(not_before, now) + env.limits.dispatchWindowMs;
  const doubt = doubtAbout(state, current);
  if (doubt !== null && !isAbsorbed(spec, doubt, dispatch_before)) {
    return escalateRun(env, countAttempt(state, current), 'call_in_doubt', callInDoubt(current));
  }
  // Whoever takes over next waits for this dispatch, not for the one before it, and asks what became of this one.
  const again: RunState = {
    ...state,
    current: { ...current, call: { ...current.call, dispatchBefore: dispatch_before, reconciled: false } },
    ending: { ...state.ending, inFlight: 'call' },
  };
  const call = toolCall(current, callId, key);
  const sent = { call, mode: current.mode, behind: toolsBehind(env, current) };
  const asked = current.cached === undefined ? sent : { ...sent, ...FROM_CACHE };
  return [again, [{ kind: 'call_tool', ...asked, timeout_ms: timeoutMs, not_before, dispatch_before }]];
}
