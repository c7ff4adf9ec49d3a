import type { Effect } from '../model/effect.ts';
import { abandonFlight } from './abandon-flight.ts';
import { plannerAttempt } from './ask-planner.ts';
import { callInDoubt, doubtOf, isAbsorbed } from './doubt.ts';
import type { KernelEnv } from './env.ts';
import { escalateRun } from './escalate-run.ts';
import { impossible, NOTHING, type Reaction, type Reacts } from './reaction.ts';
import { specOf } from './spec-of.ts';
import type { RunState } from './state.ts';
import { countAttempt } from './step-failed.ts';
import { toolCall } from './tool-call.ts';

/** Another process took the run over. Whatever was in flight is asked for again, if asking again is harmless. */
export const onRunReloaded: Reacts<'run_reloaded'> = (env, state) => {
  const flight = state.ending.inFlight;
  if (flight === null) return [state, NOTHING];
  if (state.ending.stops.length > 0) return [abandonFlight(env, state), NOTHING];
  if (flight === 'plan') return [state, [plannerAttempt(state)]];
  if (flight === 'compression') return [state, [{ kind: 'compress_context' }]];
  if (flight === 'reflection') return [state, reflectAgain(state)];
  return recoverCall(env, state);
};

function reflectAgain(state: RunState): readonly Effect[] {
  const reason = state.planning.reason;
  if (reason === null) throw impossible('a reflection on nothing', state);
  const trigger = reason.code === 'source_conflict' ? 'conflict' : 'low_confidence';
  return [{ kind: 'reflect', trigger, reason }];
}

/**
 * The call may or may not have happened. Where a second dispatch is harmless, by nature or by its key, it is sent
 * again with the same key, but only when the first can no longer be on its way; otherwise a person decides.
 */
function recoverCall(env: KernelEnv, state: RunState): Reaction {
  const { current, now } = state;
  if (current?.call == null) throw impossible('a call in flight that was never attempted', state);
  const spec = specOf(env, current.tool);
  const { callId, key, dispatchBefore, timeoutMs } = current.call;
  const not_before = spec.side_effect ? dispatchBefore + timeoutMs : 0;
  const dispatch_before = Math.max(not_before, now) + env.limits.dispatchWindowMs;
  const doubt = doubtOf(env, state, current);
  if (doubt !== null && !isAbsorbed(spec, doubt, dispatch_before)) {
    const grounded = countAttempt({ ...state, ending: { ...state.ending, inFlight: null } }, current);
    return escalateRun(env, grounded, 'call_in_doubt', callInDoubt(current));
  }
  const call = toolCall(current, callId, key);
  return [state, [{ kind: 'call_tool', call, mode: current.mode, timeout_ms: timeoutMs, not_before, dispatch_before }]];
}
