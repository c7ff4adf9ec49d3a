import type { EventOf } from '../model/event.ts';
import type { Finding } from '../model/finding.ts';
import type { NodeRole } from '../model/graph.ts';
import { atLeast } from '../model/risk.ts';
import type { StepScore } from '../model/verdict.ts';
import { abandonPlan } from './abandon-plan.ts';
import { advance } from './advance.ts';
import { remaining } from './budget-view.ts';
import { renderVerdict } from './checkpointing.ts';
import { type Attempts, type Decision, decide, type FailureKind, NO_ATTEMPTS } from './decide.ts';
import { passCheckpoints } from './decision-checkpoints.ts';
import type { KernelEnv } from './env.ts';
import { escalateRun } from './escalate-run.ts';
import { addEstimate } from './estimate.ts';
import { graveFinding } from './grave-findings.ts';
import { idleReflection } from './idle-reflection.ts';
import { secondOpinion } from './judges/ask-judges.ts';
import { noteLane, withoutResults } from './lanes/take-returned.ts';
import { plannedEstimate } from './planned-estimate.ts';
import { impossible, type Reaction, type Reacts } from './reaction.ts';
import { specOfCall } from './real-tools.ts';
import { reflectOn } from './reflect-on.ts';
import { replan } from './replan.ts';
import { specOf } from './spec-of.ts';
import { mayTakeOver } from './specialist.ts';
import type { CurrentStep, RunState } from './state.ts';
import { repeatable } from './step-failed.ts';
import { vecPush, vecSet } from './vec.ts';
import { acceptThreshold } from './verify/governing-decisions.ts';
import { positionAfter, standsOn } from './walk.ts';

const TO_COMPLETION: readonly NodeRole[] = ['completion_check'];

/** The scores are in. The verdict follows from them and from what is left of the budgets, and from nothing else. */
export const onStepJudged: Reacts<'step_judged'> = (env, state, event) => {
  const current = state.current;
  if (
    current === null ||
    current.stepId !== event.step_id ||
    current.rung !== 'committed' ||
    !standsOn(env, state, 'state_update')
  ) {
    throw impossible(`a judgement of ${event.step_id} nobody asked for`, state);
  }
  const scored: RunState = {
    ...state,
    position: positionAfter(env, state, TO_COMPLETION),
    work: { ...state.work, scores: vecPush(state.work.scores, scoreOf(state, current, event)) },
  };
  const grave = graveFinding(env, scored, event.findings, event.step_id);
  if (grave !== null) return grave;
  const second = state.panel === null ? null : secondOpinion(env, state, event.scores);
  if (second !== null) return second;
  const accept = acceptThreshold(env.catalog, current.tool, env.rubric.accept);
  const decision = decide({
    scores: event.scores,
    rubric: accept === env.rubric.accept ? env.rubric : { ...env.rubric, accept },
    failure: failureIn(event.findings),
    retryable: repeatable(specOfCall(env, current)),
    left: attemptsLeft(scored, current),
    exhausted: null,
    riskHigh: atLeast(state.intake.risk, 'high'),
    wanted: event.verdict,
  });
  if (decision.verdict === 'accept') return accepted(env, scored, current, event.findings);
  const rejected = current.seat === undefined ? scored : rejectedLane(scored, current, decision, event.findings);
  return notAccepted(env, rejected, current, decision, event);
};

function accepted(env: KernelEnv, state: RunState, current: CurrentStep, findings: readonly Finding[]): Reaction {
  const known = current.seat === undefined ? state : noteLane(state, current, 'accepted', 'accept');
  const [judged, checkpoint] = renderVerdict(env, known, 'accept', current.stepId);
  const settled: RunState = { ...judged, current: null };
  const [next, effects] = findings.some(isConflict)
    ? disputed(env, settled, current, findings.filter(isConflict))
    : pastCheckpoints(env, settled, current.index);
  return [next, [...checkpoint, ...effects]];
}

/** What the lane brought is dropped, whatever is done about the step next; the record keeps that, and why. */
function rejectedLane(
  state: RunState,
  current: CurrentStep,
  { reason }: Decision,
  findings: readonly Finding[],
): RunState {
  const why = [reason.code, ...findings.map(({ detail }) => detail)].join('; ');
  return withoutResults(noteLane(state, current, 'rejected', why), current);
}

function pastCheckpoints(env: KernelEnv, state: RunState, index: number): Reaction {
  const ruling = passCheckpoints(env, state, index);
  return ruling.ok ? advance(env, ruling.state) : ruling.instead;
}

function notAccepted(
  env: KernelEnv,
  state: RunState,
  current: CurrentStep,
  decision: Decision,
  event: EventOf<'step_judged'>,
): Reaction {
  const { code, detail } = decision.reason;
  const message = event.findings.map((finding) => finding.detail).join('; ') || code;
  const reason = { code, step_id: current.stepId, message, detail };
  if (code === 'assumption_disproved') return abandonPlan(env, state, current.stepId, disprovedIn(event.findings));
  if (decision.verdict === 'escalate') {
    const low = code === 'low_confidence' || state.counters.reflections['low_confidence'] !== undefined;
    const idle = code === 'low_confidence' ? idleReflection(env, state) : null;
    // Whoever takes over does not build on what nobody could rely on.
    const handed = low && mayTakeOver(env, state) ? reopened(env, state, current) : state;
    const [next, effects] = escalateRun(env, handed, low ? 'low_confidence' : 'validation_failed', {
      code: low ? 'LOW_CONFIDENCE' : 'VALIDATION_FAIL',
      reason: code,
      detail: { ...detail, ...(low ? spentPasses(state) : {}), step_id: current.stepId },
    });
    return [next, idle === null ? effects : [idle, ...effects]];
  }
  const redo = reopened(env, state, current);
  const [judged, checkpoint] = renderVerdict(env, redo, decision.verdict, current.stepId);
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

/** Whether there was nothing left to reflect with, for whoever could give more. */
const spentPasses = ({ budget }: RunState): { readonly dimension?: 'reflection_passes' } =>
  budget !== null && remaining(budget).reflection_passes < 1 ? { dimension: 'reflection_passes' } : {};

/** A result that was not good enough does not count as done, unless it changed the world: that stays done. */
function reopened(env: KernelEnv, state: RunState, current: CurrentStep): RunState {
  if (specOfCall(env, current).side_effect && current.seat === undefined) return state;
  const progress = vecSet(state.work.progress, current.index, {
    status: 'pending',
    attempts: current.attempt,
    fact: null,
  });
  const place = state.planning.active?.index.order.indexOf(current.index) ?? 0;
  const step = state.planning.active?.plan.steps[current.index];
  if (step === undefined) throw impossible(`${current.stepId} is no step of the plan`, state);
  const share = plannedEstimate(env, state.intake.risk, step, specOf(env, current.tool));
  const estimate = addEstimate(state.work.estimate, share);
  return { ...state, work: { ...state.work, progress, estimate, cursor: Math.min(state.work.cursor, place) } };
}

const isConflict = ({ kind, severity }: Finding): boolean => kind === 'source_conflict' && severity === 'high';

/** Both sides of a conflict are kept as evidence, and nothing may be claimed on either. */
function disputed(env: KernelEnv, state: RunState, current: CurrentStep, conflicts: readonly Finding[]): Reaction {
  const evidence = [...new Set(conflicts.flatMap(({ refs = [] }) => refs))];
  const frozen = [...new Set([...state.work.disputed, ...evidence])];
  return reflectOn(env, { ...state, work: { ...state.work, disputed: frozen } }, 'conflict', {
    code: 'source_conflict',
    step_id: current.stepId,
    message: conflicts.map(({ detail }) => detail).join('; '),
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

/** A gated step's entry names the gate that was passed and who approved it. */
function scoreOf(state: RunState, current: CurrentStep, event: EventOf<'step_judged'>): StepScore {
  const grant = state.people.grants.findLast(
    (given) => given.stepId === current.stepId && given.argsHash === current.argsHash,
  );
  const score = { scores: event.scores, step_id: event.step_id };
  return grant === undefined ? score : { ...score, approval_gate: grant.gate, approver: grant.approver };
}
