import { isUntrusted } from '../../model/evidence/origin.ts';
import { isSuccess } from '../../model/fault/terminal-code.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { jsonAt, sameJson } from '../../model/json/json-at.ts';
import { storedAt, storedPart } from '../../model/json/stored-answer.ts';
import { confirmedPart } from '../../model/tool/confirmed-part.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import { clearRetries } from '../budget/gauges.ts';
import type { KernelEnv } from '../env.ts';
import { noteDegraded } from '../flow/call/degrade.ts';
import { hasVerifyProbe, requestVerifyProbe } from '../flow/call/probe.ts';
import { countAttempt, stepFailed } from '../flow/call/step-failed.ts';
import { endCooldown } from '../flow/call/tool-cooldown.ts';
import { laneFailed } from '../flow/lane/lane.ts';
import { escalateOverBudget } from '../flow/people/escalate.ts';
import { requestStepJudgement } from '../flow/people/judge.ts';
import { argumentsOfSuppliers } from '../query/call/condition-subject.ts';
import { noteDoubt, settleDoubt } from '../query/call/doubt.ts';
import { settleStep } from '../query/plan/estimate-plan.ts';
import { isReactive } from '../query/plan/reactive-route.ts';
import { specOf, specOfCall } from '../query/plan/tools.ts';
import { effectsWith } from '../query/rollback/made-effects.ts';
import type { ObservedState } from '../state/call-state.ts';
import type { ConditionAnswer } from '../state/condition-answer.ts';
import { impossibleEvent } from '../state/lifecycle.ts';
import { withObservation } from '../state/react-state.ts';
import { hasRule } from '../state/rules.ts';
import type { CurrentStep, Fact, RunState, StepProgress } from '../state/run-state.ts';
import { assertedBy, type StatedFacts, stateFact } from '../state/stated-facts.ts';
import { vecPush } from '../state/vec.ts';
import { NO_EFFECTS, type Reaction, type Reacts, raise } from '../transition/reaction.ts';
import { forgetVisits, isAtNode, walk } from '../transition/walk.ts';
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

/**
 * Handles a stop from outside: a safety breaker, an unavailable dependency, a refused intake. A success follows from
 * the criteria alone, except that intake answers a greeting before there is anything to do.
 */
export const onStopRaised: Reacts<'stop_raised'> = (env, state, event) => {
  const { code, reason } = event.stop;
  const isGreeting = code === 'SUCCESS' && reason === 'answered_directly' && isAtNode(env, state, 'classify_intent');
  if (isSuccess(code) && !isGreeting) throw impossibleEvent(`${code} follows from the criteria alone`, state);
  return [raise(state, event.stop), NO_EFFECTS];
};

/** Commits the confirmed part of a verified observation as the next version of the state. */
export const onStepCommitted: Reacts<'step_committed'> = (env, state, event) => {
  const current = currentOn(state, event.call_id, 'verified');
  const active = state.planning.active;
  if (active === null || current.observed === null) throw impossibleEvent('a commit without a plan', state);
  if (event.validator === '') throw impossibleEvent('a commit without a validator', state);
  if (event.source !== current.tool) throw impossibleEvent(`a commit in the name of ${event.source}`, state);
  if (event.version !== state.work.version + 1) throw impossibleEvent(`version ${event.version} out of order`, state);
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
      evidenceByType: addTypes(state.work.evidenceByType, spec.produces, event.evidence_id),
      effects: effectsWith(env, state, current, fact),
      stated: addAssertions(env, state.work.stated, current, fact),
      ...answersWith(env, state, current, fact),
    },
    current: committedStep(state, current),
    budget: state.budget === null ? null : clearRetries(state.budget),
    counters: state.counters.repairsInARow === 0 ? state.counters : { ...state.counters, repairsInARow: 0 },
  };
  const noted = isReactive(env) ? noteResult(committed, current, fact) : committed;
  const updated = walk(env, forgetVisits(noted), 'state_update');
  const step = env.judges === undefined ? undefined : active.plan.steps[current.index];
  if (step !== undefined) return requestStepJudgement(env, updated, step);
  return [updated, [{ kind: 'judge_step', step_id: current.stepId }]];
};

/** A lane step keeps the previous work, in case the critic rejects its results. */
const committedStep = ({ work }: RunState, current: CurrentStep): CurrentStep =>
  current.laneContext === undefined
    ? { ...current, rung: 'committed' }
    : { ...current, rung: 'committed', before: work };

/** Adds the result to the history of a reactive run. */
function noteResult(state: RunState, { stepId: step_id, tool }: CurrentStep, { value, trusted }: Fact): RunState {
  const result = { step_id, tool, outcome: 'ok', value, detail: '', trusted } as const;
  return { ...state, react: withObservation(state.react, result, null) };
}

/** Adds the assertions of this answer, to detect conflicts between sources. */
function addAssertions(env: KernelEnv, stated: StatedFacts, { tool, args }: CurrentStep, fact: Fact): StatedFacts {
  const spec = specOf(env, tool);
  return spec.asserts === undefined ? stated : assertedBy(spec, args, fact).reduce(stateFact, stated);
}

/** Adds the answers of this call to conditions of the boundary. A newer answer of the same call replaces the older. */
function answersWith(
  env: KernelEnv,
  state: RunState,
  current: CurrentStep,
  { value, evidenceId: evidence_id }: Fact,
): Pick<RunState['work'], 'answers'> {
  const { answers = [] } = state.work;
  const { tool, args, cached, observed } = current;
  const { conditions, about } = specOf(env, tool);
  if (conditions === undefined || state.manifest?.autonomy_boundary.tools.conditions === undefined) return {};
  const isOwn = cached === undefined && observed !== null && isFoundByTrusted(env, observed);
  const bySubject = hasRule(state, 'conditions_by_subject');
  const partAt = (pointer: string): Json =>
    (storedAt(value) === null ? jsonAt(value, pointer) : storedPart(value, pointer)) ?? null;
  const answer = { tool, args, evidence_id, trusted: isOwn && (bySubject || specOfCall(env, current).trusted) };
  const subject = bySubject ? subjectOf(env, state, current, about, partAt) : {};
  const added = Object.entries(conditions).map(
    ([field, pointer]): ConditionAnswer => ({ field, value: partAt(pointer), ...answer, ...subject }),
  );
  const kept = answers.filter((old) => old.tool !== tool || !sameJson(old.args, args));
  return { answers: [...added, ...kept] };
}

/** The subject of an answer, apart from the arguments of its call. */
function subjectOf(
  env: KernelEnv,
  state: RunState,
  { index }: CurrentStep,
  about: ToolSpec['about'],
  partAt: (pointer: string) => Json,
): Pick<ConditionAnswer, 'about' | 'sources'> {
  const step = state.planning.active?.plan.steps[index];
  const sources = step === undefined ? [] : argumentsOfSuppliers(env, state, step);
  return {
    ...(about === undefined ? {} : { about: about === 'every_call' ? about : mapValues(about, partAt) }),
    ...(sources.length === 0 ? {} : { sources }),
  };
}

const mapValues = (pointers: Readonly<Record<string, string>>, partAt: (pointer: string) => Json): JsonObject =>
  Object.fromEntries(Object.entries(pointers).map(([name, pointer]) => [name, partAt(pointer)]));

/** A recovered answer is only as trusted as its probe, and a lane result as its least trusted part. */
const isFoundByTrusted = (env: KernelEnv, { foundBy, lane }: ObservedState): boolean =>
  (foundBy === undefined || specOf(env, foundBy).trusted) && lane?.trusted !== false;

function addTypes(
  known: Readonly<Record<string, string>>,
  types: readonly string[],
  evidenceId: string,
): Readonly<Record<string, string>> {
  if (types.length === 0) return known;
  const next = { ...known };
  for (const type of types) next[type] = evidenceId;
  return next;
}
