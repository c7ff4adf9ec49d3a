import { isUntrusted } from '../model/origin.ts';
import { askWhatIsThere } from './ask-probe.ts';
import { clearRetries } from './budget-gauge.ts';
import { raise } from './closing.ts';
import { noteDoubt, settleDoubt } from './doubt.ts';
import type { KernelEnv } from './env.ts';
import { overBudget } from './escalate-run.ts';
import { confirmedPart } from './grounding.ts';
import { settleStep } from './next-step.ts';
import { currentOn } from './on-call.ts';
import { impossible, NOTHING, type Reaction, type Reacts } from './reaction.ts';
import { specOfCall } from './real-tools.ts';
import { specOf } from './spec-of.ts';
import type { CurrentStep, Fact, ObservedState, RunState, StepProgress, Work } from './state.ts';
import { countAttempt, stepFailed } from './step-failed.ts';
import { noteDone } from './twin.ts';
import { vecPush } from './vec.ts';
import { forgetVisits, walk } from './walk.ts';

/** A failure is recorded as the failure it was before anything is done about it. */
export const onStepVerified: Reacts<'step_verified'> = (env, state, event) => {
  const current = currentOn(state, event.call_id, 'observed');
  if (current.observed === null) throw impossible('a verification of nothing', state);
  if (!event.ok) return stepFailed(env, { ...state, current: { ...current, rung: 'failed' } }, event.problems);
  const checked = { ...current, observed: { ...current.observed, confirmed: event.confirmed } };
  const looking = { ...state, current: checked };
  const asked = askWhatIsThere(env, looking, checked);
  if (asked === null) return commitVerified(looking, checked, event.validator);
  if (asked.ok) return asked.reaction;
  // Nobody can look, so nothing is verified; and nothing may be done again as if it had not happened.
  const failed = { ...looking, current: { ...checked, rung: 'failed' as const } };
  return overBudget(env, noteDoubt(env, countAttempt(failed, checked), specOfCall(env, checked)), asked);
};

/** Nothing speaks against it any more. */
export function commitVerified(state: RunState, current: CurrentStep, validator: string): Reaction {
  if (current.call === null) throw impossible('a commit of a call that was never made', state);
  const settled = settleDoubt(state, current.tool, current.argsHash);
  const verified: RunState = { ...settled, current: { ...current, rung: 'verified' } };
  const version = state.work.version + 1;
  const evidence_id = `ev_${state.work.evidence.size + 1}`;
  const { callId: call_id } = current.call;
  return [verified, [{ kind: 'commit_step', call_id, source: current.tool, version, evidence_id, validator }]];
}

/** Only what was verified becomes state, only the part that was confirmed, and only as the next version. */
export const onStepCommitted: Reacts<'step_committed'> = (env, state, event) => {
  const current = currentOn(state, event.call_id, 'verified');
  const active = state.planning.active;
  if (active === null || current.observed === null) throw impossible('a commit without a plan', state);
  if (event.validator === '') throw impossible('a commit without a validator', state);
  if (event.source !== current.tool) throw impossible(`a commit in the name of ${event.source}`, state);
  if (event.version !== state.work.version + 1) throw impossible(`version ${event.version} out of order`, state);
  const spec = specOfCall(env, current);
  const fact: Fact = {
    value: confirmedPart(current.observed.raw, current.observed.confirmed),
    evidenceId: event.evidence_id,
    source: current.tool,
    trusted: spec.trusted && !isUntrusted(current.origin) && isFoundByTrusted(env, current.observed),
  };
  const settled: StepProgress = { status: 'committed', attempts: current.attempt, fact };
  const work: Work = {
    ...settleStep(env, active, state.work, current.index, settled),
    version: event.version,
    lately: noteDone(env, state, current, spec),
    evidence: vecPush(state.work.evidence, event.evidence_id),
    evidenceByType: withTypes(state.work.evidenceByType, spec.produces, event.evidence_id),
  };
  const committed: RunState = {
    ...state,
    work,
    current: { ...current, rung: 'committed' },
    budget: state.budget === null ? null : clearRetries(state.budget),
    counters: state.counters.repairsInARow === 0 ? state.counters : { ...state.counters, repairsInARow: 0 },
  };
  return [walk(env, forgetVisits(committed), 'state_update'), [{ kind: 'judge_step', step_id: current.stepId }]];
};

/** What a probe has found is as good as the probe: a trusted tool cannot vouch for what somebody else says it did. */
const isFoundByTrusted = (env: KernelEnv, { foundBy }: ObservedState): boolean =>
  foundBy === undefined || specOf(env, foundBy).trusted;

function withTypes(
  known: Readonly<Record<string, string>>,
  types: readonly string[],
  evidenceId: string,
): Readonly<Record<string, string>> {
  if (types.length === 0) return known;
  const next = { ...known };
  for (const type of types) next[type] = evidenceId;
  return next;
}

/** Something outside found a reason to end the run: a safety breaker, a dependency that is down, an intake that refused. */
export const onStopRaised: Reacts<'stop_raised'> = (_env, state, event) => {
  const { code } = event.stop;
  if (code === 'SUCCESS' || code === 'PARTIAL_SUCCESS')
    throw impossible(`${code} follows from the criteria alone`, state);
  return [raise(state, event.stop), NOTHING];
};
