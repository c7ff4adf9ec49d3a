import { askWhatIsThere, isLookedInto } from './ask-probe.ts';
import { raise } from './closing.ts';
import { noteDegraded } from './degrade.ts';
import { noteDoubt, settleDoubt } from './doubt.ts';
import { overBudget } from './escalate-run.ts';
import { laneFailed } from './lanes/take-returned.ts';
import { currentOn } from './on-call.ts';
import { impossible, NOTHING, type Reaction, type Reacts } from './reaction.ts';
import { specOfCall } from './real-tools.ts';
import type { CurrentStep, RunState } from './state.ts';
import { countAttempt, stepFailed } from './step-failed.ts';
import { worksAgain } from './tripped.ts';

/** A failure is recorded as the failure it was before anything is done about it. */
export const onStepVerified: Reacts<'step_verified'> = (env, state, event) => {
  const current = currentOn(state, event.call_id, 'observed');
  if (current.observed === null) throw impossible('a verification of nothing', state);
  if (!event.ok) {
    const work = { ...state.work, failed: [...(state.work.failed ?? []), event.call_id] };
    const failed: RunState = { ...state, work, current: { ...current, rung: 'failed' } };
    return stepFailed(env, current.seat === undefined ? failed : laneFailed(failed, current, event), event.problems);
  }
  const observed = { ...current.observed, confirmed: event.confirmed };
  if (!isLookedInto(env, state, current)) {
    return commitVerified(state, { ...current, observed, rung: 'verified' }, event.validator);
  }
  const checked = { ...current, observed };
  const asked = askWhatIsThere(env, { ...state, current: checked }, checked);
  if (asked.ok) return asked.reaction;
  // Nobody can look, so nothing is verified; and nothing may be done again as if it had not happened.
  const failed: RunState = { ...state, current: { ...checked, rung: 'failed' } };
  return overBudget(env, noteDoubt(env, countAttempt(failed, checked), specOfCall(env, checked)), asked);
};

type VerifiedStep = CurrentStep & { readonly rung: 'verified' };

/** Nothing speaks against it any more. */
export function commitVerified(state: RunState, current: VerifiedStep, validator: string): Reaction {
  if (current.call === null) throw impossible('a commit of a call that was never made', state);
  const settled = noteDegraded(worksAgain(settleDoubt(state, current.tool, current.argsHash), current.tool), current);
  const version = state.work.version + 1;
  const evidence_id = `ev_${state.work.evidence.size + 1}`;
  const { callId: call_id } = current.call;
  return [
    { ...settled, current },
    [{ kind: 'commit_step', call_id, source: current.tool, version, evidence_id, validator }],
  ];
}

/** Something outside found a reason to end the run: a safety breaker, a dependency that is down, an intake that refused. */
export const onStopRaised: Reacts<'stop_raised'> = (_env, state, event) => {
  const { code } = event.stop;
  if (code === 'SUCCESS' || code === 'PARTIAL_SUCCESS')
    throw impossible(`${code} follows from the criteria alone`, state);
  return [raise(state, event.stop), NOTHING];
};
