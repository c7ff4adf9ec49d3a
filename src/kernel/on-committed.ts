import { isUntrusted } from '../model/origin.ts';
import { clearRetries } from './budget-gauge.ts';
import type { KernelEnv } from './env.ts';
import { confirmedPart } from './grounding.ts';
import { settleStep } from './next-step.ts';
import { currentOn } from './on-call.ts';
import { impossible, type Reacts } from './reaction.ts';
import { specOfCall } from './real-tools.ts';
import { noteEffect } from './rollback/made-effects.ts';
import { specOf } from './spec-of.ts';
import type { Fact, ObservedState, RunState, StepProgress, Work } from './state.ts';
import { assertedBy, stateFact } from './stated-facts.ts';
import { noteDone } from './twin.ts';
import { vecPush } from './vec.ts';
import { forgetVisits, walk } from './walk.ts';

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
  const settledWork: Work = {
    ...settleStep(env, active, state.work, current.index, settled),
    version: event.version,
    lately: noteDone(env, state, current, spec),
    evidence: vecPush(state.work.evidence, event.evidence_id),
    evidenceByType: withTypes(state.work.evidenceByType, spec.produces, event.evidence_id),
  };
  const committed: RunState = {
    ...state,
    work: settledWork,
    current: { ...current, rung: 'committed' },
    budget: state.budget === null ? null : clearRetries(state.budget),
    counters: state.counters.repairsInARow === 0 ? state.counters : { ...state.counters, repairsInARow: 0 },
  };
  // Remembered as what was done, in case it has to be taken back, and as what its source says, where others may differ.
  const noted = noteEffect(env, committed, fact);
  const stated = assertedBy(specOf(env, current.tool), current.args, fact).reduce(stateFact, noted.stated);
  const known: RunState = { ...committed, work: { ...noted, stated } };
  return [walk(env, forgetVisits(known), 'state_update'), [{ kind: 'judge_step', step_id: current.stepId }]];
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
