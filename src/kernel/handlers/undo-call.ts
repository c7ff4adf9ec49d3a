import type { Effect } from '../../model/events/effect.ts';
import { CLEAN } from '../../model/evidence/origin.ts';
import { Fault } from '../../model/fault/fault.ts';
import { address } from '../../model/json/hash.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import type { KernelEnv } from '../env.ts';
import { openGatesInPlace } from '../flow/people/open-gates.ts';
import { inFlightUntil, isAbsorbed, openDoubt } from '../query/call/doubt.ts';
import { assertPermitted } from '../query/call/policy-record.ts';
import { toolCall } from '../query/call/tool-call.ts';
import { missingGates, useGrants } from '../query/gate/grants.ts';
import { noteStanding } from '../query/gate/standing-grants.ts';
import { innerTools, specOf, specOfCall } from '../query/plan/tools.ts';
import { impossibleEvent } from '../state/impossible.ts';
import type { OpenGate } from '../state/people-state.ts';
import type { CurrentStep, RunState } from '../state/run-state.ts';
import { NO_EFFECTS, type Reaction, type Reacts } from '../transition/reaction.ts';
import {
  dropRemainingEffects,
  effectToUndo,
  nextUndo,
  rollbackOf,
  settleUndo,
  withRollback,
} from '../transition/roll-back.ts';
import { isHeld, unsuspend } from '../transition/suspend.ts';
import { assertCleared } from './step.ts';

/** Sends the proposed compensation to the gateway like any call. */
export const onCompensationProposed: Reacts<'compensation_proposed'> = (env, state, event) => {
  const made = effectToUndo(state);
  if (event.call_id !== made.callId || event.tool !== made.compensate || state.current !== null) {
    throw impossibleEvent(`call ${event.call_id} is not the one to take back`, state);
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
    // The requester asked for the effect, not for its compensation, so the request grants nothing here.
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

/** Sends the compensation to the gateway: first, after a gate, or after a failure. */
export function clearUndo(state: RunState, current: CurrentStep | null = state.current): Reaction {
  if (current === null) throw impossibleEvent('nothing is being taken back', state);
  const { stepId: step_id, tool, args, argsHash: args_hash, attempt, origin } = current;
  const intended: RunState = { ...state, current: { ...current, rung: 'intended' } };
  return [intended, [{ kind: 'clear_step', step_id, tool, args, args_hash, attempt, origin }]];
}

/** Attempts the cleared compensation. Gates apply as for any call, but not the run's budget. */
export const onUndoCleared: Reacts<'step_cleared'> = (env, state, event) => {
  const current = currentUndo(state, event.step_id, 'intended');
  assertCleared(env, state, specOf(env, current.tool), event);
  assertPermitted(env, state, event);
  const { callId: call_id, stepId: step_id, tool } = effectToUndo(state);
  const preview = { ...event.preview, takes_back: { call_id, step_id, tool } };
  const standing = event.standing === undefined ? {} : { standing: event.standing.grant_id };
  const notBefore = Math.max(current.notBefore, event.not_before ?? 0, inFlightUntil(state, current));
  const next: CurrentStep = { ...current, ...standing, preview, rung: 'cleared', mode: event.mode, notBefore };
  const cleared: RunState = { ...noteStanding(state, event), current: next };
  const gates = missingGates(env, cleared, event.gates, keyOf(env, state));
  return gates.length > 0 ? openGatesInPlace(env, cleared, gates) : attemptUndo(env, cleared, next);
};

function attemptUndo(env: KernelEnv, state: RunState, current: CurrentStep): Reaction {
  const spec: ToolSpec = specOfCall(env, current);
  const dispatch_before = Math.max(state.now, current.notBefore) + env.limits.dispatchWindowMs;
  const key = keyOf(env, state);
  const doubt = openDoubt(state, current);
  // A doubt under another key is not absorbed, and a rollback does not escalate.
  if (doubt !== null && (doubt.key !== key || !isAbsorbed(spec, doubt, dispatch_before))) {
    return settleUndo(state, 'unknown', 'call_in_doubt');
  }
  const call = toolCall(current, `call_${state.counters.calls + 1}`, key);
  return [state, [{ kind: 'attempt_step', call, timeout_ms: spec.timeout_ms, dispatch_before }]];
}

/** One key per compensated effect, for every try and every process. */
const keyOf = (env: KernelEnv, state: RunState): string => env.hash(`${effectToUndo(state).key}\ncompensate`);

/** The effect of a refused compensation stands. */
export const onUndoRefused: Reacts<'step_refused'> = (_env, state, event) => {
  currentUndo(state, event.step_id, 'intended');
  return settleUndo(state, 'stands', event.code);
};

/** Dispatches the compensation after its intent is recorded. */
export const onUndoAttempted: Reacts<'step_attempted'> = (env, state, event) => {
  const current = currentUndo(state, event.step_id, 'cleared');
  const { call_id: callId, idempotency_key: key, timeout_ms: timeoutMs, dispatch_before: dispatchBefore } = event;
  if (key !== keyOf(env, state)) throw impossibleEvent('another key than that of the effect', state);
  const attempted: RunState = {
    ...useGrants(env, state, key),
    counters: { ...state.counters, calls: state.counters.calls + 1 },
    current: { ...current, rung: 'attempted', call: { callId, key, dispatchBefore, timeoutMs, reconciled: false } },
    ending: { ...state.ending, inFlight: 'call' },
  };
  const call = toolCall(current, callId, key);
  const sent = { call, mode: current.mode, behind: innerTools(env, current), timeout_ms: timeoutMs };
  const timed = { not_before: current.notBefore, dispatch_before: dispatchBefore };
  return [attempted, [{ kind: 'call_tool', ...sent, ...timed }]];
};

/** Records the outcome and continues with the next effect. */
export const onStepCompensated: Reacts<'step_compensated'> = (_env, state, event) => {
  const { settled } = event;
  const { callId, tool, compensate } = effectToUndo(state);
  if (settled.call_id !== callId || settled.tool !== tool || settled.compensation !== compensate) {
    throw impossibleEvent(`call ${settled.call_id} is not the one to take back`, state);
  }
  const rollback = rollbackOf(state);
  const next = withRollback(state, { ...rollback, at: null, settled: [...rollback.settled, settled] });
  return nextUndo({ ...next, current: null });
};

function currentUndo(state: RunState, stepId: string, rung: CurrentStep['rung']): CurrentStep {
  const { current } = state;
  if (current === null || current.stepId !== stepId || current.rung !== rung) {
    throw impossibleEvent(`${stepId} is not being taken back`, state);
  }
  return current;
}

/** Ends a rollback whose session expired, or skips an effect whose gate expired. The terminal code of the run stays. */
export const onUndoTimePassed: Reacts<'time_passed'> = (_env, state, event) => {
  if (event.at >= state.session.expiresAt) return stopRollback(state, 'session_expired');
  const expired = state.people.gates.some((open) => event.at >= open.expiresAt);
  return expired ? settleUndo(closeGates(state), 'stands', 'gate_expired') : [state, NO_EFFECTS];
};

/** Stops the rollback. */
export const onUndoStopped: Reacts<'stop_raised'> = (_env, state, event) => stopRollback(state, event.stop.reason);

function stopRollback(state: RunState, reason: string): Reaction {
  const { inFlight } = state.ending;
  const recalled: readonly Effect[] = inFlight === null ? NO_EFFECTS : [{ kind: 'abort_flight', flight: inFlight }];
  const withoutFlight = dropRemainingEffects(closeGates({ ...state, ending: { ...state.ending, inFlight: null } }));
  if (rollbackOf(withoutFlight).at === null) return [withoutFlight, recalled];
  const [settled, effects] = settleUndo(withoutFlight, inFlight === null ? 'stands' : 'unknown', reason);
  return [settled, [...recalled, ...effects]];
}

/** The effect of a rejected compensation stands. The rollback continues with the next one. */
export const rejectUndo = (state: RunState): Reaction => settleUndo(closeGates(state), 'stands', 'approval_rejected');

/** The fault for an edit of a compensation: its arguments are derived from the effect and cannot be changed. */
export const undoEditFault = ({ name }: OpenGate): Fault =>
  new Fault('event_illegal', `gate ${name} is about taking something back: approve it or reject it as it is`);

function closeGates(state: RunState): RunState {
  const freed = isHeld(state.session.status) ? unsuspend(state) : state;
  return { ...freed, people: { ...freed.people, gates: [], undecided: 0 } };
}
