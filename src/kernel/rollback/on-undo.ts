import { address } from '../../model/hash.ts';
import { CLEAN } from '../../model/origin.ts';
import type { ToolSpec } from '../../model/tool.ts';
import { doubtAbout, isAbsorbed, stillOutUntil } from '../doubt.ts';
import type { KernelEnv } from '../env.ts';
import { missingGates, useGrants } from '../grants.ts';
import { assertCleared } from '../on-call.ts';
import { askAtGates } from '../open-gates.ts';
import { assertPermitted } from '../policy-record.ts';
import { impossible, type Reaction, type Reacts } from '../reaction.ts';
import { specOfCall, toolsBehind } from '../real-tools.ts';
import { specOf } from '../spec-of.ts';
import { noteStanding } from '../standing.ts';
import type { CurrentStep, RunState } from '../state.ts';
import { toolCall } from '../tool-call.ts';
import { nextUndo, rollbackOf, settleUndo, undoing, withRollback } from './walk-back.ts';

/** What an effect is taken back with is known now; it is cleared like any call, and nobody has asked for it before. */
export const onCompensationProposed: Reacts<'compensation_proposed'> = (env, state, event) => {
  const made = undoing(state);
  if (event.call_id !== made.callId || event.tool !== made.compensate || state.current !== null) {
    throw impossible(`call ${event.call_id} is not the one to take back`, state);
  }
  if (event.args === null) return settleUndo(state, 'stands', 'arguments_unknown');
  const args = env.tools.complete(event.tool, event.args);
  const untrusted = made.trusted ? CLEAN.untrusted : { '': made.tool };
  const current: CurrentStep = {
    index: -1,
    stepId: `${made.stepId}:compensate`,
    tool: event.tool,
    rung: 'intended',
    args,
    argsHash: address(env.hash, args),
    // The requester asked for the effect, not for its end: their word opens no gate here.
    origin: made.trusted ? CLEAN : { ...CLEAN, untrusted },
    mode: 'destructive',
    attempt: 1,
    call: null,
    observed: null,
    reserved: null,
    notBefore: 0,
  };
  return clearUndo(state, current);
};

/** Puts the call before the gateway, the first time, after a gate and after a failure. */
export function clearUndo(state: RunState, current: CurrentStep | null = state.current): Reaction {
  if (current === null) throw impossible('nothing is being taken back', state);
  const { stepId: step_id, tool, args, argsHash: args_hash, attempt, origin } = current;
  const intended: RunState = { ...state, current: { ...current, rung: 'intended' } };
  return [intended, [{ kind: 'clear_step', step_id, tool, args, args_hash, attempt, origin }]];
}

/** The gateway has let it pass. Gates stand before it as before any call; the budget of the run does not. */
export const onUndoCleared: Reacts<'step_cleared'> = (env, state, event) => {
  const current = undoAt(state, event.step_id, 'intended');
  assertCleared(env, state, specOf(env, current.tool), event);
  assertPermitted(env, state, event);
  const { callId: call_id, stepId: step_id, tool } = undoing(state);
  const preview = { ...event.preview, takes_back: { call_id, step_id, tool } };
  const standing = event.standing === undefined ? {} : { standing: event.standing.grant_id };
  const notBefore = Math.max(current.notBefore, event.not_before ?? 0, stillOutUntil(state, current));
  const next: CurrentStep = { ...current, ...standing, preview, rung: 'cleared', mode: event.mode, notBefore };
  const cleared: RunState = { ...noteStanding(state, event), current: next };
  const gates = missingGates(env, cleared, event.gates, keyOf(env, state));
  return gates.length > 0 ? askAtGates(env, cleared, gates) : attemptUndo(env, cleared, next);
};

function attemptUndo(env: KernelEnv, state: RunState, current: CurrentStep): Reaction {
  const spec: ToolSpec = specOfCall(env, current);
  const dispatch_before = Math.max(state.now, current.notBefore) + env.limits.dispatchWindowMs;
  const key = keyOf(env, state);
  const doubt = doubtAbout(state, current);
  // What is in doubt under another key is not absorbed under this one, and nobody is asked on the way back.
  if (doubt !== null && (doubt.key !== key || !isAbsorbed(spec, doubt, dispatch_before))) {
    return settleUndo(state, 'unknown', 'call_in_doubt');
  }
  const call = toolCall(current, `call_${state.counters.calls + 1}`, key);
  return [state, [{ kind: 'attempt_step', call, timeout_ms: spec.timeout_ms, dispatch_before }]];
}

/** One key for the taking back of one effect, however often it is tried and whoever tries it. */
const keyOf = (env: KernelEnv, state: RunState): string => env.hash(`${undoing(state).key}\ncompensate`);

/** What the gateway refuses stays as it is. */
export const onUndoRefused: Reacts<'step_refused'> = (_env, state, event) => {
  undoAt(state, event.step_id, 'intended');
  return settleUndo(state, 'stands', event.code);
};

/** The intent is written, and so the call may be made. */
export const onUndoAttempted: Reacts<'step_attempted'> = (env, state, event) => {
  const current = undoAt(state, event.step_id, 'cleared');
  const { call_id: callId, idempotency_key: key, timeout_ms: timeoutMs, dispatch_before: dispatchBefore } = event;
  if (key !== keyOf(env, state)) throw impossible('another key than that of the effect', state);
  const attempted: RunState = {
    ...useGrants(env, state, key),
    counters: { ...state.counters, calls: state.counters.calls + 1 },
    current: { ...current, rung: 'attempted', call: { callId, key, dispatchBefore, timeoutMs, reconciled: false } },
    ending: { ...state.ending, inFlight: 'call' },
  };
  const call = toolCall(current, callId, key);
  const sent = { call, mode: current.mode, behind: toolsBehind(env, current), timeout_ms: timeoutMs };
  const timed = { not_before: current.notBefore, dispatch_before: dispatchBefore };
  return [attempted, [{ kind: 'call_tool', ...sent, ...timed }]];
};

/** One effect less. */
export const onStepCompensated: Reacts<'step_compensated'> = (_env, state, event) => {
  const { settled } = event;
  const { callId, tool, compensate } = undoing(state);
  if (settled.call_id !== callId || settled.tool !== tool || settled.compensation !== compensate) {
    throw impossible(`call ${settled.call_id} is not the one to take back`, state);
  }
  const rollback = rollbackOf(state);
  const next = withRollback(state, { ...rollback, at: null, settled: [...rollback.settled, settled] });
  return nextUndo({ ...next, current: null });
};

function undoAt(state: RunState, stepId: string, rung: CurrentStep['rung']): CurrentStep {
  const { current } = state;
  if (current === null || current.stepId !== stepId || current.rung !== rung) {
    throw impossible(`${stepId} is not being taken back`, state);
  }
  return current;
}
