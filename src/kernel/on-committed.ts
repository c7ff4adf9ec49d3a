import { isUntrusted } from '../model/origin.ts';
import { clearRetries } from './budget-gauge.ts';
import type { KernelEnv } from './env.ts';
import { confirmedPart } from './grounding.ts';
import { judgeStep } from './judges/ask-judges.ts';
import { settleStep } from './next-step.ts';
import { currentOn } from './on-call.ts';
import { impossible, type Reacts } from './reaction.ts';
import { withObservation } from './reactive/react-state.ts';
import { isReactive } from './reactive/route-of.ts';
import { specOfCall } from './real-tools.ts';
import { effectsWith } from './rollback/made-effects.ts';
import { specOf } from './spec-of.ts';
import type { CurrentStep, Fact, ObservedState, RunState, StepProgress } from './state.ts';
import { assertedBy, type Stated, stateFact } from './stated-facts.ts';
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
  const { progress, estimate, cursor, unresolved } = settleStep(env, active, state, current.index, settled);
  const committed: RunState = {
    ...state,
    work: {
      ...state.work,
      progress,
      estimate,
      cursor,
      unresolved,
      version: event.version,
      evidence: vecPush(state.work.evidence, event.evidence_id),
      evidenceByType: withTypes(state.work.evidenceByType, spec.produces, event.evidence_id),
      effects: effectsWith(env, state, current, fact),
      stated: statedWith(env, state.work.stated, current, fact),
    },
    current: committedStep(state, current),
    budget: state.budget === null ? null : clearRetries(state.budget),
    counters: state.counters.repairsInARow === 0 ? state.counters : { ...state.counters, repairsInARow: 0 },
  };
  const noted = isReactive(env) ? withObserved(committed, current, fact) : committed;
  const updated = walk(env, forgetVisits(noted), 'state_update');
  const step = env.judges === undefined ? undefined : active.plan.steps[current.index];
  if (step !== undefined) return judgeStep(env, updated, step);
  return [updated, [{ kind: 'judge_step', step_id: current.stepId }]];
};

/** With what the run knew before, where a lane did the work: the Critic has not accepted it yet. */
const committedStep = ({ work }: RunState, current: CurrentStep): CurrentStep =>
  current.seat === undefined ? { ...current, rung: 'committed' } : { ...current, rung: 'committed', before: work };

/** What came of the step, for whoever decides the next one. */
function withObserved(state: RunState, { stepId: step_id, tool }: CurrentStep, { value, trusted }: Fact): RunState {
  const seen = { step_id, tool, outcome: 'ok', value, detail: '', trusted } as const;
  return { ...state, react: withObservation(state.react, seen, null) };
}

/** What sources have said, with what this answer asserts, where others may come to differ. */
function statedWith(env: KernelEnv, stated: Stated, { tool, args }: CurrentStep, fact: Fact): Stated {
  const spec = specOf(env, tool);
  return spec.asserts === undefined ? stated : assertedBy(spec, args, fact).reduce(stateFact, stated);
}

/** What a probe has found is as good as the probe, and what a lane brings as the least of it: a trusted tool cannot vouch for what somebody else says it did. */
const isFoundByTrusted = (env: KernelEnv, { foundBy, lane }: ObservedState): boolean =>
  (foundBy === undefined || specOf(env, foundBy).trusted) && lane?.trusted !== false;

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
