import type { EffectOf } from '../../model/events/effect.ts';
import type { ToolCost } from '../../model/tool/tool.ts';
import type { KernelEnv } from '../env.ts';
import { sendAgain } from '../flow/call/recover-call.ts';
import { isRepeatable, jitter } from '../flow/call/step-failed.ts';
import { isAbsorbed, noteDoubt, openDoubt, settleDoubt, settledBy } from '../query/call/doubt.ts';
import { assertProbeAllowed, assertStored } from '../query/call/probe-record.ts';
import { toolCall } from '../query/call/tool-call.ts';
import { specOfCall } from '../query/plan/tools.ts';
import { impossibleEvent } from '../state/impossible.ts';
import type { CallState, CurrentStep, RunState } from '../state/run-state.ts';
import { vecPush } from '../state/vec.ts';
import { land } from '../transition/in-flight.ts';
import { NO_EFFECTS, type Reaction, type Reacts } from '../transition/reaction.ts';
import { rollbackOf, settleUndo, withRollback } from '../transition/roll-back.ts';
import { clearUndo } from './undo-call.ts';

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

/** Calls the verify probe of the compensating tool. */
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

/** Applies the finding of the reconcile probe. */
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

/** Resumes a rollback in another process. */
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
function chargeRollback(state: RunState, spent: ToolCost): RunState {
  const rollback = rollbackOf(state);
  const { calls, input_tokens, output_tokens, microusd } = rollback.spent;
  const sum = {
    calls: calls + 1,
    input_tokens: input_tokens + spent.input_tokens,
    output_tokens: output_tokens + spent.output_tokens,
    microusd: microusd + spent.microusd,
  };
  return withRollback(state, { ...rollback, spent: sum });
}

function currentUndoCall(state: RunState, callId: string): CalledStep {
  const { current } = state;
  if (current?.call == null || current.call.callId !== callId)
    throw impossibleEvent(`call ${callId} is not under way`, state);
  return { ...current, call: current.call };
}
