import type { Finding, StepScore } from '../../model/critic/verdict.ts';
import type { EventOf } from '../../model/events/event.ts';
import type { NodeRole } from '../../model/plan/graph.ts';
import { atLeast } from '../../model/policy/risk.ts';
import { settle } from '../budget/budget.ts';
import { addEstimate } from '../budget/estimate.ts';
import { remaining } from '../budget/view.ts';
import type { KernelEnv } from '../env.ts';
import { isRepeatable } from '../flow/call/step-failed.ts';
import { dropLaneResults, noteLane } from '../flow/lane/lane.ts';
import { askUser } from '../flow/people/ask-user.ts';
import { escalateRun } from '../flow/people/escalate.ts';
import { handleSevereFinding, secondOpinion } from '../flow/people/judge.ts';
import { advance } from '../flow/plan/advance.ts';
import { reflectOn } from '../flow/plan/reflect.ts';
import { replan } from '../flow/plan/replan.ts';
import {
  type Attempts,
  decideVerdict,
  type FailureDecision,
  type FailureKind,
  NO_ATTEMPTS,
} from '../query/call/decide-failure.ts';
import { panelNeed } from '../query/critic-input/panels.ts';
import { findIdleReflection } from '../query/critic-input/reflection.ts';
import { canSpecialistTakeOver } from '../query/gate/escalation.ts';
import { plannedEstimate } from '../query/plan/estimate-plan.ts';
import { specOf, specOfCall } from '../query/plan/tools.ts';
import type { Panel } from '../state/judge-panel.ts';
import { impossibleEvent } from '../state/lifecycle.ts';
import { hasRule } from '../state/rules.ts';
import type { CurrentStep, RunState, Work } from '../state/run-state.ts';
import { vecPush, vecSet } from '../state/vec.ts';
import { renderVerdict } from '../transition/checkpoint.ts';
import { land, NO_EFFECTS, type Reaction, type Reacts, raise } from '../transition/reaction.ts';
import { isAtNode, positionAfter } from '../transition/walk.ts';
import { acceptThreshold } from '../verify/step-rules.ts';

const TO_COMPLETION: readonly NodeRole[] = ['completion_check'];

/** Derives the verdict on a step from its scores and the attempts left. */
export const onStepJudged: Reacts<'step_judged'> = (env, state, event) => {
  const current = state.current;
  if (
    current === null ||
    current.stepId !== event.step_id ||
    current.rung !== 'committed' ||
    !isAtNode(env, state, 'state_update')
  ) {
    throw impossibleEvent(`a judgement of ${event.step_id} nobody asked for`, state);
  }
  const scored: RunState = {
    ...state,
    position: positionAfter(env, state, TO_COMPLETION),
    work: { ...state.work, scores: vecPush(state.work.scores, scoreOf(state, current, event)) },
  };
  const grave = handleSevereFinding(env, scored, event.findings, event.step_id);
  if (grave !== null) return grave;
  const second = state.panel === null ? null : secondOpinion(env, state, event.scores);
  if (second !== null) return second;
  const accept = acceptThreshold(env.catalog, current.tool, env.rubric.accept);
  const decision = decideVerdict({
    scores: event.scores,
    rubric: accept === env.rubric.accept ? env.rubric : { ...env.rubric, accept },
    failure: failureIn(event.findings),
    retryable: isRepeatable(specOfCall(env, current)),
    left: attemptsLeft(scored, current),
    exhausted: null,
    riskHigh: atLeast(state.intake.risk, 'high'),
    wanted: event.verdict,
  });
  if (decision.verdict === 'accept') return acceptStep(env, scored, current, event.findings);
  const rejected = current.laneContext === undefined ? scored : dropResults(scored, current, decision, event.findings);
  return handleRejection(env, rejected, current, decision, event);
};

function acceptStep(env: KernelEnv, state: RunState, current: CurrentStep, findings: readonly Finding[]): Reaction {
  const known = current.laneContext === undefined ? state : noteLane(state, current, 'accepted', 'accept');
  const [judged, checkpoint] = renderVerdict(env, known, 'accept', current.stepId);
  const settled: RunState = { ...judged, current: null };
  const [next, effects] = findings.some(isConflict)
    ? freezeConflict(env, settled, current, findings.filter(isConflict))
    : passAndAdvance(env, settled, current.index);
  return [next, [...checkpoint, ...effects]];
}

/** Removes the results of a rejected lane and records the reason. */
function dropResults(
  state: RunState,
  current: CurrentStep,
  { reason }: FailureDecision,
  findings: readonly Finding[],
): RunState {
  const why = [reason.code, ...findings.map(({ detail }) => detail)].join('; ');
  return dropLaneResults(noteLane(state, current, 'rejected', why), current);
}

function passAndAdvance(env: KernelEnv, state: RunState, index: number): Reaction {
  const ruling = passCheckpoints(env, state, index);
  return ruling.ok ? advance(env, ruling.state) : ruling.instead;
}

function handleRejection(
  env: KernelEnv,
  state: RunState,
  current: CurrentStep,
  decision: FailureDecision,
  event: EventOf<'step_judged'>,
): Reaction {
  const { code, detail } = decision.reason;
  const message = event.findings.map((finding) => finding.detail).join('; ') || code;
  const reason = { code, step_id: current.stepId, message, detail };
  if (code === 'assumption_disproved') return abandonPlan(env, state, current.stepId, disprovedIn(event.findings));
  if (decision.verdict === 'escalate') {
    const isLowConfidence = code === 'low_confidence' || state.counters.reflections['low_confidence'] !== undefined;
    const idle = code === 'low_confidence' ? findIdleReflection(env, state) : null;
    // The specialist model does not build on unreliable results.
    const prepared = isLowConfidence && canSpecialistTakeOver(env, state) ? reopenStep(env, state, current) : state;
    const [next, effects] = escalateRun(env, prepared, isLowConfidence ? 'low_confidence' : 'validation_failed', {
      code: isLowConfidence ? 'LOW_CONFIDENCE' : 'VALIDATION_FAIL',
      reason: code,
      detail: { ...detail, ...(isLowConfidence ? exhaustedPasses(state) : {}), step_id: current.stepId },
    });
    return [next, idle === null ? effects : [idle, ...effects]];
  }
  const pending = reopenStep(env, state, current);
  const [judged, checkpoint] = renderVerdict(env, pending, decision.verdict, current.stepId);
  if (decision.verdict === 'retry') {
    const [next, effects] = advance(env, { ...judged, current: null });
    return [next, [...checkpoint, ...effects]];
  }
  const [next, effects] =
    code === 'low_confidence'
      ? reflectOn(env, judged, 'low_confidence', reason)
      : replan(env, judged, { reason, trigger: 'validation_failed', code: 'VALIDATION_FAIL' });
  return [next, [...checkpoint, ...effects]];
}

/** Names the reflection budget if it is used up, so that it can be extended. */
const exhaustedPasses = ({ budget }: RunState): { readonly dimension?: 'reflection_passes' } =>
  budget !== null && remaining(budget).reflection_passes < 1 ? { dimension: 'reflection_passes' } : {};

/** Reopens a step whose result was rejected, unless it had a side effect, which remains done. */
function reopenStep(env: KernelEnv, state: RunState, current: CurrentStep): RunState {
  if (specOfCall(env, current).side_effect && current.laneContext === undefined) return state;
  const progress = vecSet(state.work.progress, current.index, {
    status: 'pending',
    attempts: current.attempt,
    fact: null,
  });
  const place = state.planning.active?.index.order.indexOf(current.index) ?? 0;
  const step = state.planning.active?.plan.steps[current.index];
  if (step === undefined) throw impossibleEvent(`${current.stepId} is no step of the plan`, state);
  const share = plannedEstimate(env, state.intake.risk, step, specOf(env, current.tool));
  const estimate = addEstimate(state.work.estimate, share);
  return { ...state, work: { ...state.work, progress, estimate, cursor: Math.min(state.work.cursor, place) } };
}

const isConflict = ({ kind, severity }: Finding): boolean => kind === 'source_conflict' && severity === 'high';

/** Freezes both sides of a conflict: they stay evidence, but no claim may use them. */
function freezeConflict(
  env: KernelEnv,
  state: RunState,
  current: CurrentStep,
  conflicts: readonly Finding[],
): Reaction {
  const evidence = [...new Set(conflicts.flatMap(({ refs = [] }) => refs))];
  const message = conflicts.map(({ detail }) => detail).join('; ');
  const { work } = state;
  const frozen: Work = {
    ...work,
    disputed: [...new Set([...work.disputed, ...evidence])],
    ...(hasRule(state, 'ends_by_cause') ? { conflict: { message, known: work.evidence.size } } : {}),
  };
  return reflectOn(env, { ...state, work: frozen }, 'conflict', {
    code: 'source_conflict',
    step_id: current.stepId,
    message,
    detail: { evidence },
  });
}

const disprovedIn = (findings: readonly Finding[]): readonly string[] =>
  findings.filter(({ kind }) => kind === 'assumption_disproved').map(({ detail }) => detail);

function failureIn(findings: readonly Finding[]): FailureKind | null {
  for (const { kind } of findings) {
    if (kind === 'unexpected_evidence' || kind === 'assumption_disproved') return kind;
  }
  return null;
}

function attemptsLeft(state: RunState, current: CurrentStep): Attempts {
  if (state.budget === null) return NO_ATTEMPTS;
  const left = remaining(state.budget);
  const retries = state.budget.caps.retry_count_max - current.attempt;
  return { retries, replans: left.replan_attempts, reflections: left.reflection_passes };
}

/** The score of a step, with the gate and the approver if it had one. */
function scoreOf(state: RunState, current: CurrentStep, event: EventOf<'step_judged'>): StepScore {
  const grant = state.people.grants.findLast(
    (candidate) => candidate.stepId === current.stepId && candidate.argsHash === current.argsHash,
  );
  const score = { scores: event.scores, step_id: event.step_id };
  return grant === undefined ? score : { ...score, approval_gate: grant.gate, approver: grant.approver };
}

/**
 * Abandons a plan whose assumption was disproved. The next step is selected, but the run asks the user before it
 * starts. Without a next step, the run is judged by its results so far.
 */
function abandonPlan(env: KernelEnv, state: RunState, afterStep: string, disproved: readonly string[]): Reaction {
  const [judged, checkpoint] = renderVerdict(env, state, 'escalate', afterStep);
  const [next, effects] = advance(env, { ...judged, current: null });
  if (!isAtNode(env, next, 'tool_eligibility')) return [next, [...checkpoint, ...effects]];
  const question = { code: 'IMPOSSIBLE', fields: ['clarification'], readings: disproved } as const;
  const [waiting, asking] = askUser(env, next, question);
  return [waiting, [...checkpoint, ...asking]];
}

/** The state after passed checkpoints, or the reaction to a failed one. */
type CheckpointRuling =
  | { readonly ok: true; readonly state: RunState }
  | { readonly ok: false; readonly instead: Reaction };

/** Requires all evidence of the decisions that are due after this step. */
function passCheckpoints(env: KernelEnv, state: RunState, index: number): CheckpointRuling {
  const due = state.planning.active?.index.checkpointsAfter.get(index);
  if (due === undefined) return { ok: true, state };
  for (const { decision_id } of due) {
    const demanded = env.catalog.get(decision_id)?.evidence;
    const missing = demanded?.filter((type) => !Object.hasOwn(state.work.evidenceByType, type)) ?? [decision_id];
    if (missing.length === 0) continue;
    const detail = { decision_id, missing };
    const stop = { code: 'VALIDATION_FAIL', reason: 'evidence_missing', detail } as const;
    return { ok: false, instead: escalateRun(env, state, 'validation_failed', stop) };
  }
  const decided = [...new Set([...state.work.decided, ...due.map(({ decision_id }) => decision_id)])];
  return { ok: true, state: { ...state, work: { ...state.work, decided } } };
}

/** Stores and charges the answers of the judges, then asks the critic. */
export const onJudgesAnswered: Reacts<'judges_answered'> = (env, state, event) => {
  const landed = land(state, 'judges');
  const { panel, budget } = landed;
  if (panel === null || budget === null) throw impossibleEvent('an answer of judges that nobody asked', state);
  assertPanel(state, panel, event);
  const { input_tokens, output_tokens, microusd: cost_microusd } = event.spent;
  const actual = { input_tokens, output_tokens, cost_microusd };
  const settled = settle(budget, panelNeed(env, panel), actual, 'critic');
  const answered: RunState = { ...landed, budget: settled.budget, panel: { ...panel, answers: event.answers } };
  if (settled.overrun !== null) {
    const detail = { dimension: settled.overrun };
    return [raise(answered, { code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun', detail }), NO_EFFECTS];
  }
  if (answered.ending.stops.length > 0) return [answered, NO_EFFECTS];
  const { about } = panel;
  return [answered, [about === null ? { kind: 'judge_run' } : { kind: 'judge_step', step_id: about }]];
};

/** Requires one answer of each judge that was asked, in order. A journal cannot add judges. */
function assertPanel(state: RunState, { about, asked, safer }: Panel, event: EventOf<'judges_answered'>): void {
  if (event.about !== about || (event.safer === true) !== safer)
    throw impossibleEvent('judges of something else', state);
  const answeredBy = event.answers.map(({ judge }) => judge);
  const expected = asked.map(({ judge }) => judge);
  if (answeredBy.length !== expected.length || expected.some((judge, place) => answeredBy[place] !== judge)) {
    throw impossibleEvent(`answers of ${answeredBy.join(', ')} where ${expected.join(', ')} were asked`, state);
  }
}
