import type { KernelEnv } from '../../env.ts';
import { callInDoubt, isAbsorbed, noteDoubt, openDoubt, settledBy } from '../../query/call/doubt.ts';
import { toolCall } from '../../query/call/tool-call.ts';
import { innerTools, specOfCall } from '../../query/plan/tools.ts';
import { impossibleEvent } from '../../state/impossible.ts';
import type { RunState } from '../../state/run-state.ts';
import type { Reaction } from '../../transition/reaction.ts';
import { escalateRun } from '../people/escalate.ts';
import { FROM_CACHE } from './degrade.ts';
import { reconcileIfPossible } from './probe.ts';
import { countAttempt } from './step-failed.ts';

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
  // The next recovery has to wait for this dispatch and reconcile it.
  const resent: RunState = {
    ...state,
    current: { ...current, call: { ...current.call, dispatchBefore: dispatch_before, reconciled: false } },
    ending: { ...state.ending, inFlight: 'call' },
  };
  const call = toolCall(current, callId, key);
  const sent = { call, mode: current.mode, behind: innerTools(env, current) };
  const request = current.cached === undefined ? sent : { ...sent, ...FROM_CACHE };
  return [resent, [{ kind: 'call_tool', ...request, timeout_ms: timeoutMs, not_before, dispatch_before }]];
}
