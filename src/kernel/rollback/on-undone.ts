import type { EffectOf } from '../../model/effect.ts';
import type { ToolCost } from '../../model/tool.ts';
import { doubtAbout, isAbsorbed, noteDoubt, overBy, settleDoubt } from '../doubt.ts';
import type { KernelEnv } from '../env.ts';
import { land } from '../flight.ts';
import { assertAsked } from '../probe-record.ts';
import { impossible, NOTHING, type Reaction, type Reacts } from '../reaction.ts';
import { specOfCall } from '../real-tools.ts';
import { sendAgain } from '../recover-call.ts';
import type { CallState, CurrentStep, RunState } from '../state.ts';
import { jitter, repeatable } from '../step-failed.ts';
import { assertStored } from '../stored-answer.ts';
import { toolCall } from '../tool-call.ts';
import { vecPush } from '../vec.ts';
import { clearUndo } from './on-undo.ts';
import { rollbackOf, settleUndo, withRollback } from './walk-back.ts';

/** What takes something back is tried again at most this often, whatever its tool would permit. */
const RETRIES_MAX = 2;

/** An answer in the shape of the tool means that the effect is taken back. */
export const onUndoObserved: Reacts<'step_observed'> = (env, state, event) => {
  const current = undoCalled(state, event.call_id);
  const landed = charge(land(state, 'call'), event.spent);
  const work = { ...landed.work, transcripts: vecPush(landed.work.transcripts, event.call_id) };
  const observed: RunState = { ...landed, work };
  if (event.stored !== undefined) assertStored(state, event.raw);
  const problems = event.stored?.problems ?? env.tools.checkOutput(current.tool, event.raw);
  const fits = event.outcome === 'ok' && problems.length === 0;
  if (event.unsent === true) {
    const failed: CurrentStep = { ...current, rung: 'failed' };
    return afterFailure(env, { ...observed, current: failed }, failed, event.outcome);
  }
  if (!fits) {
    return inDoubt(env, observed, { ...current, rung: 'failed' }, event.outcome === 'ok' ? 'malformed' : event.outcome);
  }
  const { verify } = specOfCall(env, current).probes ?? {};
  if (verify === undefined) return takenBack(observed, current);
  const { outcome, raw, detail = '', spent } = event;
  const said: CurrentStep = {
    ...current,
    rung: 'observed',
    observed: { outcome, raw, detail, spent, confirmed: [] },
  };
  return askWhatIsGone(observed, said, verify);
};

const takenBack = (state: RunState, { tool, argsHash }: CurrentStep): Reaction =>
  settleUndo(settleDoubt(state, tool, argsHash), 'rolled_back', 'taken_back');

/** Whoever declared that somebody looks at what a tool did wants that looked at, too, when it takes something back. */
function askWhatIsGone(state: RunState, current: CurrentStep, probe: string): Reaction {
  const { call, observed } = current;
  if (call === null || observed === null) throw impossible('a look at a call that was never made', state);
  const asked: RunState = { ...state, current, ending: { ...state.ending, inFlight: 'probe' } };
  const about = toolCall(current, call.callId, call.key);
  return [asked, [{ kind: 'probe_step', call: about, probe, result: observed.raw }]];
}

/** Only what somebody has seen to be gone is taken back; otherwise it is in doubt. */
export const onUndoProbed: Reacts<'step_probed'> = (env, state, event) => {
  const current = undoCalled(state, event.call_id);
  if (current.rung !== 'observed' || event.probe !== specOfCall(env, current).probes?.verify)
    throw impossible(`${event.probe} is not its probe`, state);
  assertAsked(env, state, event, event.as_expected);
  const landed = charge(land(state, 'probe'), event.spent);
  if (event.as_expected) return takenBack(landed, current);
  return inDoubt(env, landed, { ...current, rung: 'failed' }, 'not_confirmed');
};

/** Somebody has looked what became of it. */
export const onUndoReconciled: Reacts<'call_reconciled'> = (env, state, event) => {
  const current = undoCalled(state, event.call_id);
  if (event.probe !== specOfCall(env, current).probes?.reconcile)
    throw impossible(`${event.probe} is not its probe`, state);
  assertAsked(env, state, event, event.finding !== 'unknown');
  const known: CurrentStep = { ...current, call: { ...current.call, reconciled: true } };
  const landed: RunState = { ...charge(land(state, 'probe'), event.spent), current: known };
  if (event.finding === 'unknown') return afterFailure(env, landed, known, 'unknown');
  const settled = settleDoubt(landed, current.tool, current.argsHash);
  if (event.finding === 'happened') return settleUndo(settled, 'rolled_back', 'found_taken_back');
  return known.rung === 'attempted' ? sendAgain(env, settled) : afterFailure(env, settled, known, 'did_not_happen');
};

/** Another process took the run over while something was being taken back. */
export const onUndoReloaded: Reacts<'run_reloaded'> = (env, state) => {
  const { current } = state;
  if (state.ending.inFlight === null) return [state, NOTHING];
  if (current?.call == null) throw impossible('a call in flight that was never attempted', state);
  const { verify } = specOfCall(env, current).probes ?? {};
  // Whoever only looks may be asked again.
  if (current.rung === 'observed' && verify !== undefined) return askWhatIsGone(state, current, verify);
  const grounded: RunState = { ...state, ending: { ...state.ending, inFlight: null } };
  return inDoubt(env, grounded, { ...current, call: current.call }, 'process_lost');
};

type Called = CurrentStep & { readonly call: CallState };

/** It may or may not have been taken back: a probe says, or the key lets it be asked for again, or it stays unknown. */
function inDoubt(env: KernelEnv, state: RunState, current: Called, why: string): Reaction {
  const spec = specOfCall(env, current);
  const noted = noteDoubt(env, { ...state, current }, spec);
  const harmless = !spec.side_effect || spec.idempotency.kind === 'natural';
  const probe = spec.probes?.reconcile;
  if (harmless || probe === undefined || current.call.reconciled) return afterFailure(env, noted, current, why);
  return [{ ...noted, ending: { ...noted.ending, inFlight: 'probe' } }, [look(current, probe)]];
}

function look(current: Called, probe: string): EffectOf<'reconcile_call'> {
  const call = toolCall(current, current.call.callId, current.call.key);
  return { kind: 'reconcile_call', call, probe, not_before: overBy(current.call) };
}

function afterFailure(env: KernelEnv, state: RunState, current: CurrentStep, why: string): Reaction {
  const spec = specOfCall(env, current);
  const doubt = doubtAbout(state, current);
  // Nobody has answered and the tool still knows the key: the very same call once more.
  if (current.rung === 'attempted' && (doubt === null || isAbsorbed(spec, doubt, resentBefore(env, state, current)))) {
    return sendAgain(env, state);
  }
  const again = current.rung === 'failed' && (doubt === null || repeatable(spec));
  if (again && current.attempt <= Math.min(spec.retries_max, RETRIES_MAX)) {
    const wait = jitter(env, current, env.limits.retryBaseMs * 2 ** (current.attempt - 1));
    return clearUndo(state, { ...current, attempt: current.attempt + 1, notBefore: state.now + wait });
  }
  return settleUndo(state, doubt === null ? 'stands' : 'unknown', why);
}

const resentBefore = (env: KernelEnv, { now }: RunState, { call }: CurrentStep): number =>
  Math.max(call === null ? 0 : overBy(call), now) + env.limits.dispatchWindowMs;

/** On record, and outside every cap: a run that has spent everything must still be able to take back what it did. */
function charge(state: RunState, spent: ToolCost): RunState {
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

function undoCalled(state: RunState, callId: string): Called {
  const { current } = state;
  if (current?.call == null || current.call.callId !== callId)
    throw impossible(`call ${callId} is not under way`, state);
  return { ...current, call: current.call };
}
