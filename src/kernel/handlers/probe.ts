import type { EventOf } from '../../model/events/event.ts';
import type { Problem } from '../../model/json/problem.ts';
import type { KernelEnv } from '../env.ts';
import { observeLate } from '../flow/call/late-answer.ts';
import { landProbe } from '../flow/call/probe.ts';
import { continueAfterFailure, isRepeatable, sendAgain, stepFailed } from '../flow/call/step-failed.ts';
import { callInDoubt, noteDoubt, settleDoubt } from '../query/call/doubt.ts';
import { assertProbeAllowed, assertStored } from '../query/call/policy-record.ts';
import { specOf, specOfCall } from '../query/plan/tools.ts';
import { impossibleEvent } from '../state/lifecycle.ts';
import { hasRule } from '../state/rules.ts';
import type { CurrentStep, RunState } from '../state/run-state.ts';
import { NO_EFFECTS, type Reaction, type Reacts, raise } from '../transition/reaction.ts';
import { commitVerified } from './commit.ts';

/** Applies the finding of a reconcile probe: the result is observed, the call may be repeated, or it stays in doubt. */
export const onCallReconciled: Reacts<'call_reconciled'> = (env, state, event) => {
  const current = findProbedStep(env, state, event, 'reconcile');
  if (current.call === null || (current.rung !== 'attempted' && current.rung !== 'failed')) {
    throw impossibleEvent(`call ${event.call_id} is not in doubt`, state);
  }
  assertProbeAllowed(env, state, event, event.finding !== 'unknown');
  const known = { ...current, call: { ...current.call, reconciled: true } };
  const landed = { ...landProbe(env, state, event.probe, event.spent), current: known };
  if (landed.ending.stops.length > 0) {
    return [event.finding === 'unknown' ? raise(landed, callInDoubt(known)) : landed, NO_EFFECTS];
  }
  if (event.finding === 'happened') return observeFound(env, landed, known, event);
  const settled = event.finding === 'unknown' ? landed : settleDoubt(landed, current.tool, current.argsHash);
  if (current.rung === 'attempted') return sendAgain(env, settled);
  const { reason } = settled.planning;
  if (reason === null) throw impossibleEvent('a failure without a reason', state);
  const mayRepeat = event.finding === 'did_not_happen' || isRepeatable(specOfCall(env, current));
  return continueAfterFailure(env, settled, reason, mayRepeat);
};

/** Observes the result that the probe found. */
function observeFound(
  env: KernelEnv,
  state: RunState,
  current: CurrentStep,
  { raw, probe, stored }: EventOf<'call_reconciled'>,
): Reaction {
  if (stored !== undefined) assertStored(state, raw);
  const kept = stored === undefined ? {} : { stored };
  const exposed = { ...state, planning: exposedByProbe(env, state.planning, probe) };
  return observeLate(env, exposed, current, { raw, detail: `found by ${probe}`, foundBy: probe, ...kept });
}

/** Marks planning as exposed if the probe is untrusted, since a planner may read its answer. */
const exposedByProbe = (env: KernelEnv, planning: RunState['planning'], probe: string): RunState['planning'] =>
  planning.exposed || specOf(env, probe).trusted ? planning : { ...planning, exposed: true };

/** Commits the result if the verify probe confirms it. */
export const onStepProbed: Reacts<'step_probed'> = (env, state, event) => {
  const current = findProbedStep(env, state, event, 'verify');
  if (current.rung !== 'observed') throw impossibleEvent(`call ${event.call_id} is not being looked at`, state);
  assertProbeAllowed(env, state, event, event.as_expected);
  const charged = landProbe(env, state, event.probe, event.spent);
  const landed = { ...charged, planning: exposedByProbe(env, charged.planning, event.probe) };
  if (landed.ending.stops.length > 0) {
    if (event.as_expected) return [landed, NO_EFFECTS];
    const noted = hasRule(state, 'tools_in_doubt') ? noteDoubt(env, landed, specOfCall(env, current)) : landed;
    return [raise(noted, callInDoubt(current)), NO_EFFECTS];
  }
  if (event.as_expected) return commitVerified(landed, { ...current, rung: 'verified' }, `probe:${event.probe}`);
  const message = `${event.probe} does not confirm what ${current.tool} says it did: ${event.detail}`;
  const problem: Problem = { code: 'tool_result_invalid', path: '', message };
  return stepFailed(env, { ...landed, current: { ...current, rung: 'failed' } }, [problem]);
};

function findProbedStep(
  env: KernelEnv,
  state: RunState,
  event: { readonly call_id: string; readonly probe: string },
  kind: 'verify' | 'reconcile',
): CurrentStep {
  const { current } = state;
  if (current === null || current.call?.callId !== event.call_id) {
    throw impossibleEvent(`call ${event.call_id} is not under way`, state);
  }
  const declared = specOf(env, current.tool).probes?.[kind];
  if (declared !== event.probe) throw impossibleEvent(`${event.probe} is not the probe of ${current.tool}`, state);
  return current;
}
