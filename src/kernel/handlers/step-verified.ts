import { isSuccess } from '../../model/fault/terminal-code.ts';
import { noteDegraded } from '../flow/call/degrade.ts';
import { hasVerifyProbe, requestVerifyProbe } from '../flow/call/probe.ts';
import { countAttempt, stepFailed } from '../flow/call/step-failed.ts';
import { endCooldown } from '../flow/call/tool-cooldown.ts';
import { laneFailed } from '../flow/lane/lane-results.ts';
import { escalateOverBudget } from '../flow/people/escalate.ts';
import { noteDoubt, settleDoubt } from '../query/call/doubt.ts';
import { specOfCall } from '../query/plan/tools.ts';
import { impossibleEvent } from '../state/impossible.ts';
import type { CurrentStep, RunState } from '../state/run-state.ts';
import { NO_EFFECTS, type Reaction, type Reacts } from '../transition/reaction.ts';
import { raise } from '../transition/stop.ts';
import { currentOn } from './step.ts';

/** Records a failure before it is handled. A verified result is committed, or probed first if the tool says so. */
export const onStepVerified: Reacts<'step_verified'> = (env, state, event) => {
  const current = currentOn(state, event.call_id, 'observed');
  if (current.observed === null) throw impossibleEvent('a verification of nothing', state);
  if (!event.ok) {
    const work = { ...state.work, failed: [...(state.work.failed ?? []), event.call_id] };
    const failed: RunState = { ...state, work, current: { ...current, rung: 'failed' } };
    return stepFailed(
      env,
      current.laneContext === undefined ? failed : laneFailed(failed, current, event),
      event.problems,
    );
  }
  const observed = { ...current.observed, confirmed: event.confirmed };
  if (!hasVerifyProbe(env, state, current)) {
    return commitVerified(state, { ...current, observed, rung: 'verified' }, event.validator);
  }
  const checked = { ...current, observed };
  const probing = requestVerifyProbe(env, { ...state, current: checked }, checked);
  if (probing.ok) return probing.reaction;
  // The probe exceeds the budget, so the result is not verified and the call stays in doubt.
  const failed: RunState = { ...state, current: { ...checked, rung: 'failed' } };
  return escalateOverBudget(env, noteDoubt(env, countAttempt(failed, checked), specOfCall(env, checked)), probing);
};

type VerifiedStep = CurrentStep & { readonly rung: 'verified' };

/** Commits a verified result and settles its doubt. */
export function commitVerified(state: RunState, current: VerifiedStep, validator: string): Reaction {
  if (current.call === null) throw impossibleEvent('a commit of a call that was never made', state);
  const settled = noteDegraded(endCooldown(settleDoubt(state, current.tool, current.argsHash), current.tool), current);
  const version = state.work.version + 1;
  const evidence_id = `ev_${state.work.evidence.size + 1}`;
  const { callId: call_id } = current.call;
  return [
    { ...settled, current },
    [{ kind: 'commit_step', call_id, source: current.tool, version, evidence_id, validator }],
  ];
}

/** Handles a stop from outside: a safety breaker, an unavailable dependency, a refused intake. */
export const onStopRaised: Reacts<'stop_raised'> = (_env, state, event) => {
  const { code } = event.stop;
  if (isSuccess(code)) throw impossibleEvent(`${code} follows from the criteria alone`, state);
  return [raise(state, event.stop), NO_EFFECTS];
};
