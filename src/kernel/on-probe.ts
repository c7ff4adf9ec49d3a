import type { EventOf } from '../model/event.ts';
import type { Problem } from '../model/problem.ts';
import { landProbe } from './ask-probe.ts';
import { raise } from './closing.ts';
import { callInDoubt, settleDoubt } from './doubt.ts';
import type { KernelEnv } from './env.ts';
import { observeLate } from './observe-late.ts';
import { commitVerified } from './on-verified.ts';
import { assertAsked } from './probe-record.ts';
import { impossible, NOTHING, type Reaction, type Reacts } from './reaction.ts';
import { specOfCall } from './real-tools.ts';
import { sendAgain } from './recover-call.ts';
import { specOf } from './spec-of.ts';
import type { CurrentStep, RunState } from './state.ts';
import { goOnAfter, repeatable, stepFailed } from './step-failed.ts';
import { assertStored } from './stored-answer.ts';

/** Somebody looked. What happened becomes the observation; what did not may be done; what is unknown stays in doubt. */
export const onCallReconciled: Reacts<'call_reconciled'> = (env, state, event) => {
  const current = probed(env, state, event, 'reconcile');
  if (current.call === null || (current.rung !== 'attempted' && current.rung !== 'failed')) {
    throw impossible(`call ${event.call_id} is not in doubt`, state);
  }
  assertAsked(env, state, event, event.finding !== 'unknown');
  const known = { ...current, call: { ...current.call, reconciled: true } };
  const landed = { ...landProbe(env, state, event.probe, event.spent), current: known };
  if (landed.ending.stops.length > 0) {
    return [event.finding === 'unknown' ? raise(landed, callInDoubt(known)) : landed, NOTHING];
  }
  if (event.finding === 'happened') return observeFound(env, landed, known, event);
  const settled = event.finding === 'unknown' ? landed : settleDoubt(landed, current.tool, current.argsHash);
  if (current.rung === 'attempted') return sendAgain(env, settled);
  const { reason } = settled.planning;
  if (reason === null) throw impossible('a failure without a reason', state);
  const mayRepeat = event.finding === 'did_not_happen' || repeatable(specOfCall(env, current));
  return goOnAfter(env, settled, reason, mayRepeat);
};

/** Its answer was lost and a probe has found it. */
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

/** What an untrusted probe says, as a finding or as a reason why not, may be read by whoever plans next. */
const exposedByProbe = (env: KernelEnv, planning: RunState['planning'], probe: string): RunState['planning'] =>
  planning.exposed || specOf(env, probe).trusted ? planning : { ...planning, exposed: true };

/** What a tool says it did is committed only once somebody else has seen it. */
export const onStepProbed: Reacts<'step_probed'> = (env, state, event) => {
  const current = probed(env, state, event, 'verify');
  if (current.rung !== 'observed') throw impossible(`call ${event.call_id} is not being looked at`, state);
  assertAsked(env, state, event, event.as_expected);
  const told = landProbe(env, state, event.probe, event.spent);
  const landed = { ...told, planning: exposedByProbe(env, told.planning, event.probe) };
  if (landed.ending.stops.length > 0) {
    return [event.as_expected ? landed : raise(landed, callInDoubt(current)), NOTHING];
  }
  if (event.as_expected) return commitVerified(landed, { ...current, rung: 'verified' }, `probe:${event.probe}`);
  const message = `${event.probe} does not confirm what ${current.tool} says it did: ${event.detail}`;
  const problem: Problem = { code: 'tool_result_invalid', path: '', message };
  return stepFailed(env, { ...landed, current: { ...current, rung: 'failed' } }, [problem]);
};

function probed(
  env: KernelEnv,
  state: RunState,
  event: { readonly call_id: string; readonly probe: string },
  kind: 'verify' | 'reconcile',
): CurrentStep {
  const { current } = state;
  if (current === null || current.call?.callId !== event.call_id) {
    throw impossible(`call ${event.call_id} is not under way`, state);
  }
  const declared = specOf(env, current.tool).probes?.[kind];
  if (declared !== event.probe) throw impossible(`${event.probe} is not the probe of ${current.tool}`, state);
  return current;
}
