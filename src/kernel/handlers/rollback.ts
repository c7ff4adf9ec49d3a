import type { Effect, EffectOf } from '../../model/events/effect.ts';
import { CLEAN } from '../../model/evidence/origin.ts';
import { Fault } from '../../model/fault/fault.ts';
import { address } from '../../model/json/hash.ts';
import { isHeld } from '../../model/run/session-status.ts';
import type { CallSpent, ToolSpec } from '../../model/tool/tool.ts';
import type { KernelEnv } from '../env.ts';
import { isRepeatable, jitter, sendAgain } from '../flow/call/step-failed.ts';
import { openGatesInPlace } from '../flow/people/open-gates.ts';
import { completeArguments } from '../query/call/complete-arguments.ts';
import { inFlightUntil, isAbsorbed, noteDoubt, openDoubt, settleDoubt, settledBy } from '../query/call/doubt.ts';
import { assertPermitted, assertProbeAllowed, assertStored } from '../query/call/policy-record.ts';
import { clearStep, sendCall, toolCall } from '../query/call/tool-call.ts';
import { missingGates, useGrants } from '../query/gate/grants.ts';
import { noteStanding } from '../query/gate/standing-grants.ts';
import { specOf, specOfCall } from '../query/plan/tools.ts';
import type { CallState } from '../state/call-state.ts';
import { impossibleEvent } from '../state/lifecycle.ts';
import { meterGpu } from '../state/meters.ts';
import type { OpenGate } from '../state/people-state.ts';
import type { CurrentStep, RunState } from '../state/run-state.ts';
import { vecPush } from '../state/vec.ts';
import { land, NO_EFFECTS, type Reaction, type Reacts } from '../transition/reaction.ts';
import {
  dropRemainingEffects,
  effectToUndo,
  nextUndo,
  rollbackOf,
  settleUndo,
  withRollback,
} from '../transition/roll-back.ts';
import { unsuspend } from '../transition/suspend.ts';
import { assertCleared } from './step.ts';

/** Sends the proposed compensation to the gateway like any call. */
export const onCompensationProposed: Reacts<'compensation_proposed'> = (env, state, event) => {
  const made = effectToUndo(state);
  if (event.call_id !== made.callId || event.tool !== made.compensate || state.current !== null) {
    throw impossibleEvent(`call ${event.call_id} is not the one to take back`, state);
  }
  if (event.args === null) return settleUndo(state, 'stands', 'arguments_unknown');
  const args = completeArguments(env, state, event.tool, event.args);
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
  const intended: RunState = { ...state, current: { ...current, rung: 'intended' } };
  return [intended, [clearStep(current)]];
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
  const timed = { timeout_ms: timeoutMs, not_before: current.notBefore, dispatch_before: dispatchBefore };
  return [attempted, [{ ...sendCall(env, current, callId, key), ...timed }]];
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

/** The maximum number of retries of a compensation, even if its tool allows more. */
const RETRIES_MAX = 2;

/** Handles the answer of a compensation. A valid answer means that the effect is rolled back. */
export const onUndoObserved: Reacts<'step_observed'> = (env, state, event) => {
  const current = currentUndoCall(state, event.call_id);
  const landed = chargeRollback(land(state, 'call'), event.spent);
  const work = { ...landed.work, transcripts: vecPush(landed.work.transcripts, event.call_id) };
  const observed: RunState = { ...landed, work };
  if (event.stored !== undefined) assertStored(state, event.raw);
  const problems = event.stored?.problems ?? env.tools.checkOutput(current.tool, event.raw);
  const isValid = event.outcome === 'ok' && problems.length === 0;
  if (event.unsent === true) {
    const failed: CurrentStep = { ...current, rung: 'failed' };
    return retryOrSettle(env, { ...observed, current: failed }, failed, event.outcome);
  }
  if (!isValid) {
    return resolveDoubt(
      env,
      observed,
      { ...current, rung: 'failed' },
      event.outcome === 'ok' ? 'malformed' : event.outcome,
    );
  }
  const { verify } = specOfCall(env, current).probes ?? {};
  if (verify === undefined) return settleRolledBack(observed, current);
  const { outcome, raw, detail = '', spent } = event;
  const observedStep: CurrentStep = {
    ...current,
    rung: 'observed',
    observed: { outcome, raw, detail, spent, confirmed: [] },
  };
  return askProbe(observed, observedStep, verify);
};

const settleRolledBack = (state: RunState, { tool, argsHash }: CurrentStep): Reaction =>
  settleUndo(settleDoubt(state, tool, argsHash), 'rolled_back', 'taken_back');

function askProbe(state: RunState, current: CurrentStep, probe: string): Reaction {
  const { call, observed } = current;
  if (call === null || observed === null) throw impossibleEvent('a look at a call that was never made', state);
  const probing: RunState = { ...state, current, ending: { ...state.ending, inFlight: 'probe' } };
  const about = toolCall(current, call.callId, call.key);
  return [probing, [{ kind: 'probe_step', call: about, probe, result: observed.raw }]];
}

/** Settles the compensation if the probe confirms it. Otherwise it is in doubt. */
export const onUndoProbed: Reacts<'step_probed'> = (env, state, event) => {
  const current = currentUndoCall(state, event.call_id);
  if (current.rung !== 'observed' || event.probe !== specOfCall(env, current).probes?.verify)
    throw impossibleEvent(`${event.probe} is not its probe`, state);
  assertProbeAllowed(env, state, event, event.as_expected);
  const landed = chargeRollback(land(state, 'probe'), event.spent);
  if (event.as_expected) return settleRolledBack(landed, current);
  return resolveDoubt(env, landed, { ...current, rung: 'failed' }, 'not_confirmed');
};

export const onUndoReconciled: Reacts<'call_reconciled'> = (env, state, event) => {
  const current = currentUndoCall(state, event.call_id);
  if (event.probe !== specOfCall(env, current).probes?.reconcile)
    throw impossibleEvent(`${event.probe} is not its probe`, state);
  assertProbeAllowed(env, state, event, event.finding !== 'unknown');
  const known: CurrentStep = { ...current, call: { ...current.call, reconciled: true } };
  const landed: RunState = { ...chargeRollback(land(state, 'probe'), event.spent), current: known };
  if (event.finding === 'unknown') return retryOrSettle(env, landed, known, 'unknown');
  const settled = settleDoubt(landed, current.tool, current.argsHash);
  if (event.finding === 'happened') return settleUndo(settled, 'rolled_back', 'found_taken_back');
  return known.rung === 'attempted' ? sendAgain(env, settled) : retryOrSettle(env, settled, known, 'did_not_happen');
};

export const onUndoReloaded: Reacts<'run_reloaded'> = (env, state) => {
  const { current } = state;
  if (state.ending.inFlight === null) return [state, NO_EFFECTS];
  if (current?.call == null) throw impossibleEvent('a call in flight that was never attempted', state);
  const { verify } = specOfCall(env, current).probes ?? {};
  // Probes are read-only and can be repeated.
  if (current.rung === 'observed' && verify !== undefined) return askProbe(state, current, verify);
  const withoutFlight: RunState = { ...state, ending: { ...state.ending, inFlight: null } };
  return resolveDoubt(env, withoutFlight, { ...current, call: current.call }, 'process_lost');
};

type CalledStep = CurrentStep & { readonly call: CallState };

/** Handles a compensation in doubt: a probe decides, or the call is repeated under its key, or it stays unknown. */
function resolveDoubt(env: KernelEnv, state: RunState, current: CalledStep, why: string): Reaction {
  const spec = specOfCall(env, current);
  const noted = noteDoubt(env, { ...state, current }, spec);
  const isHarmless = !spec.side_effect || spec.idempotency.kind === 'natural';
  const probe = spec.probes?.reconcile;
  if (isHarmless || probe === undefined || current.call.reconciled) return retryOrSettle(env, noted, current, why);
  return [{ ...noted, ending: { ...noted.ending, inFlight: 'probe' } }, [reconcileEffect(current, probe)]];
}

function reconcileEffect(current: CalledStep, probe: string): EffectOf<'reconcile_call'> {
  const call = toolCall(current, current.call.callId, current.call.key);
  return { kind: 'reconcile_call', call, probe, not_before: settledBy(current.call) };
}

function retryOrSettle(env: KernelEnv, state: RunState, current: CurrentStep, why: string): Reaction {
  const spec = specOfCall(env, current);
  const doubt = openDoubt(state, current);
  // There is no answer and the tool still knows the key, so the same call is sent again.
  if (current.rung === 'attempted' && (doubt === null || isAbsorbed(spec, doubt, resendBefore(env, state, current)))) {
    return sendAgain(env, state);
  }
  const canRetry = current.rung === 'failed' && (doubt === null || isRepeatable(spec));
  if (canRetry && current.attempt <= Math.min(spec.retries_max, RETRIES_MAX)) {
    const wait = jitter(env, current, env.limits.retryBaseMs * 2 ** (current.attempt - 1));
    return clearUndo(state, { ...current, attempt: current.attempt + 1, notBefore: state.now + wait });
  }
  return settleUndo(state, doubt === null ? 'stands' : 'unknown', why);
}

const resendBefore = (env: KernelEnv, { now }: RunState, { call }: CurrentStep): number =>
  Math.max(call === null ? 0 : settledBy(call), now) + env.limits.dispatchWindowMs;

/** Records the cost outside every cap: a run with no budget left must still be able to roll back. */
function chargeRollback(state: RunState, spent: CallSpent): RunState {
  const rollback = rollbackOf(state);
  const { calls, input_tokens, output_tokens, microusd } = rollback.spent;
  const sum = {
    calls: calls + 1,
    input_tokens: input_tokens + spent.input_tokens,
    output_tokens: output_tokens + spent.output_tokens,
    microusd: microusd + spent.microusd,
  };
  return withRollback(meterGpu(state, spent), { ...rollback, spent: sum });
}

function currentUndoCall(state: RunState, callId: string): CalledStep {
  const { current } = state;
  if (current?.call == null || current.call.callId !== callId)
    throw impossibleEvent(`call ${callId} is not under way`, state);
  return { ...current, call: current.call };
}
