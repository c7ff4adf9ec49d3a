import type { OpenPart } from '../../model/critic/judged-case.ts';
import type { Finding } from '../../model/critic/verdict.ts';
import type { Effect } from '../../model/events/effect.ts';
import { prematureEndingViolation } from '../../model/events/effect-kinds.ts';
import { REQUEST_ANSWERED } from '../../model/plan/goal.ts';
import { atLeast } from '../../model/policy/risk.ts';
import { remaining } from '../budget/view.ts';
import type { KernelEnv } from '../env.ts';
import { answerUser } from '../flow/people/compose-answer.ts';
import { escalateRun } from '../flow/people/escalate.ts';
import { handleSevereFinding, secondOpinion } from '../flow/people/judge.ts';
import { requestOutput, withOutput } from '../flow/plan/output.ts';
import { askNext, replan } from '../flow/plan/replan.ts';
import { type Attempts, decideVerdict, NO_ATTEMPTS } from '../query/call/decide-failure.ts';
import { doubtAtEnd } from '../query/call/doubted-tool.ts';
import { owesOutput } from '../query/evidence/bind-output.ts';
import { checkCompletion, endsByAnswer, unansweredFailures } from '../query/plan/completion.ts';
import { isReactive, routeOf } from '../query/plan/reactive-route.ts';
import { directAnswer } from '../query/plan/reasoning.ts';
import { secondaryOf } from '../query/plan/secondary.ts';
import { impossibleEvent } from '../state/lifecycle.ts';
import type { RunState } from '../state/run-state.ts';
import { renderVerdict } from '../transition/checkpoint.ts';
import { NO_EFFECTS, type Reaction, type Reacts } from '../transition/reaction.ts';
import { canWalk, isAtNode, walk } from '../transition/walk.ts';

/** Decides about a scored run whose steps are settled. Only the criteria of the goal show whether it is finished. */
export const onRunJudged: Reacts<'run_judged'> = (env, state, event) => {
  if (!isAtNode(env, state, 'completion_check') || state.current !== null)
    throw impossibleEvent('a judgement nobody asked for', state);
  const scored: RunState = { ...state, ending: { ...state.ending, runScores: event.scores } };
  const grave = handleSevereFinding(env, scored, event.findings, null);
  if (grave !== null) return grave;
  const second = state.panel === null ? null : secondOpinion(env, state, event.scores);
  if (second !== null) return second;
  const conflicts = event.findings.filter(({ kind, severity }) => kind === 'source_conflict' && severity === 'high');
  if (conflicts.length > 0) return escalateConflict(env, scored, conflicts);
  const secondary = secondaryOf(state);
  const unmet = event.unmet.filter((id) => !secondary.has(id));
  if (event.open_part !== undefined && canWalk(env, state, 'plan'))
    return continueQuestion(env, scored, event.unmet, event.open_part);
  if (unmet.length > 0) return continueIncomplete(env, scored, event.unmet);
  const decision = decideVerdict({
    scores: event.scores,
    rubric: env.rubric,
    failure: null,
    retryable: false,
    left: attemptsLeft(scored),
    exhausted: null,
    riskHigh: atLeast(state.intake.risk, 'high'),
    wanted: event.verdict,
  });
  if (decision.verdict === 'accept') {
    // An output that cannot be bound leads back to the planner, so it is ruled on before the run is accepted.
    const hasOutput = owesOutput(state);
    return hasOutput ? [withOutput(scored, { unmet: event.unmet }), RULE_OUTPUT] : acceptRun(env, scored, event.unmet);
  }
  const { code, detail } = decision.reason;
  if (decision.verdict === 'escalate') {
    return escalateRun(env, scored, 'low_confidence', { code: 'LOW_CONFIDENCE', reason: code, detail });
  }
  const reason = { code, step_id: null, message: 'the run as a whole scored too low', detail };
  const [judged, checkpoint] = renderVerdict(env, scored, 'replan', null);
  const [next, effects] = replan(env, judged, { reason, trigger: 'low_confidence', code: 'LOW_CONFIDENCE' });
  return [next, [...checkpoint, ...effects]];
};

const RULE_OUTPUT: readonly Effect[] = Object.freeze([{ kind: 'rule_output' }]);

/** Accepts a run whose output is bound. Any other output goes back to the planner. */
export const onOutputRuled: Reacts<'output_ruled'> = (env, state, { bound, problems }) => {
  const { unmet, ...output } = state.ending.output ?? { refusals: 0, bound: null };
  if (!isAtNode(env, state, 'completion_check') || unmet === undefined)
    throw impossibleEvent('a ruling on an output that was not requested', state);
  const ruled: RunState = { ...state, ending: { ...state.ending, output: { ...output, bound } } };
  return bound === null ? requestOutput(env, ruled, problems) : acceptRun(env, ruled, unmet);
};

/**
 * Accepts a run whose criteria are met, except for `unmet` secondary ones, and answers the user. A run with a call in
 * doubt waits for a person first, because its success would claim an effect that was not observed.
 */
function acceptRun(env: KernelEnv, state: RunState, unmet: readonly string[]): Reaction {
  const doubt = doubtAtEnd(state);
  if (doubt !== null) return escalateRun(env, state, 'call_in_doubt', doubt);
  const failed = endsByAnswer(state) ? unansweredFailures(state) : [];
  const unresolved = [...new Set([...state.work.unresolved, ...unmet, ...failed])];
  const met: RunState = {
    ...state,
    work: { ...state.work, unresolved },
    ending: { ...state.ending, criteriaMet: true },
  };
  const [judged, checkpoint] = renderVerdict(env, met, 'accept', null);
  const [next, effects] = answerUser(env, walk(env, judged, 'finalize'));
  return [next, [...checkpoint, ...effects]];
}

/** Escalates conflicts that are still open at the end. The cross-check was part of the step. */
function escalateConflict(env: KernelEnv, state: RunState, conflicts: readonly Finding[]): Reaction {
  const evidence = [...new Set(conflicts.flatMap(({ refs = [] }) => refs))];
  const message = conflicts.map(({ detail }) => detail).join('; ');
  const stop = { code: 'SOURCE_CONFLICT', reason: 'source_conflict', detail: { evidence, message } } as const;
  return escalateRun(env, state, 'source_conflict', stop, evidence);
}

/** Continues an incomplete run: a reactive run takes its next step, a plan-first run replans. */
function continueIncomplete(
  env: Parameters<typeof replan>[0],
  state: RunState,
  unmet: readonly string[],
): ReturnType<typeof replan> {
  const message = whyIncomplete(env, state, unmet);
  const reason = { code: 'criteria_unmet', step_id: null, message, detail: { unmet } };
  if (canWalk(env, state, 'plan') && takesNext(env, state)) return askNext(env, state, reason);
  const [judged, checkpoint] = renderVerdict(env, state, 'replan', null);
  const [next, effects] = replan(env, judged, { reason, trigger: 'validation_failed', code: 'VALIDATION_FAIL' });
  return [next, [...notePrematureAnswer(env, state, unmet), ...checkpoint, ...effects]];
}

/** Continues a run whose proposed end left a part of the question open. Each part is pointed out once. */
function continueQuestion(env: KernelEnv, state: RunState, unmet: readonly string[], open: OpenPart): Reaction {
  const pointedOut = [...(state.ending.pointedOut ?? []), open.part];
  const message = `"${open.part}" is not answered yet, and ${open.tool} was not used: use it if it can answer this part, and otherwise decide respond again`;
  const reason = { code: 'criteria_unmet', step_id: null, message, detail: { unmet, ...open } };
  return askNext(env, { ...state, ending: { ...state.ending, pointedOut } }, reason);
}

/** The reason to go on. A run without declared criteria goes on for the reason of the completion check. */
function whyIncomplete(env: KernelEnv, state: RunState, unmet: readonly string[]): string {
  const completion = unmet.includes(REQUEST_ANSWERED.id) && endsByAnswer(state) ? checkCompletion(env, state) : null;
  if (completion?.permitted === false) return completion.reason;
  return `the plan is done and these criteria are not met: ${unmet.join(', ')}`;
}

/** Notes a violation if the run answered the user although criteria are unmet. */
function notePrematureAnswer(env: KernelEnv, state: RunState, unmet: readonly string[]): readonly Effect[] {
  const hasAnswered = hasResponded(env, state) || directAnswer(state) !== null;
  return hasAnswered
    ? [prematureEndingViolation('SUCCESS', `these criteria are not met: ${unmet.join(', ')}`)]
    : NO_EFFECTS;
}

function hasResponded(env: KernelEnv, { planning }: RunState): boolean {
  const last = planning.active?.plan.steps.at(-1);
  return last !== undefined && env.tools.get(last.tool)?.speaks === 'respond';
}

/** Whether a reactive run takes its next step. A run that has answered meant to be done, so it replans instead. */
function takesNext(env: KernelEnv, state: RunState): boolean {
  if (!isReactive(env)) return false;
  const { to } = routeOf(env, state);
  return to === 'error' || (to !== 'direct_chat' && !hasResponded(env, state));
}

function attemptsLeft(state: RunState): Attempts {
  if (state.budget === null) return NO_ATTEMPTS;
  const left = remaining(state.budget);
  return { retries: 0, replans: left.replan_attempts, reflections: left.reflection_passes };
}
