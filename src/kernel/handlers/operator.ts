import type { EventOf } from '../../model/events/event.ts';
import { Fault, unknownVariant } from '../../model/fault/fault.ts';
import type { Stop } from '../../model/fault/terminal-code.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import { printable } from '../../model/json/printable.ts';
import { extend } from '../budget/budget.ts';
import { clearRetries } from '../budget/gauges.ts';
import type { KernelEnv } from '../env.ts';
import { observeLate } from '../flow/call/late-answer.ts';
import { allowOneTry } from '../flow/call/tool-cooldown.ts';
import { escalateRun } from '../flow/people/escalate.ts';
import { resumeWork } from '../flow/people/resume-work.ts';
import { requestPlan } from '../flow/plan/replan.ts';
import { applyDoubtDecision, approveRepeat, settledBy } from '../query/call/doubt.ts';
import { doubtAtEnd } from '../query/call/doubted-tool.ts';
import { assertDecider, assertPacketHash, assertProof, withSignature } from '../query/gate/decider.ts';
import { nextStep } from '../query/plan/steps.ts';
import { markCompromised } from '../query/rollback/made-effects.ts';
import { impossibleEvent } from '../state/lifecycle.ts';
import { allowCall, isRepeatedWork } from '../state/loop-guard.ts';
import { meterReview } from '../state/meters.ts';
import type { OpenEscalation, OpenQuestion } from '../state/people-state.ts';
import { hasRule } from '../state/rules.ts';
import type { CurrentStep, IntakeState, RunState } from '../state/run-state.ts';
import { dropCurrent, NO_EFFECTS, type Reaction, type Reacts, raise } from '../transition/reaction.ts';
import { markResuming, pause, unsuspend } from '../transition/suspend.ts';
import { forgetVisits, isAtNode, walk } from '../transition/walk.ts';
import { releaseAnswer } from './end.ts';

/** Pauses the run. No new step starts; effects in flight may finish. */
export const onRunPaused: Reacts<'run_paused'> = (_env, state, event) => {
  if (state.session.status !== 'in_progress') throw impossibleEvent('only a session in progress can be paused', state);
  assertProof(state, event.by, event.proof);
  const paused = pause(withSignature(state, event.proof), event.cause, event.by, 'operator');
  return [event.resumes === undefined ? paused : markResuming(paused), NO_EFFECTS];
};

export const onRunResumed: Reacts<'run_resumed'> = (env, state, event) => {
  const currentPause = state.session.pause;
  if (state.session.status !== 'paused' || currentPause === null)
    throw impossibleEvent('only a paused session can be resumed', state);
  if (!event.operator) {
    throw new Fault(
      'operator_approval_required',
      `a session paused by ${currentPause.cause} goes on only with an operator`,
    );
  }
  assertDecider(state, 'run_resumed', event.by);
  assertProof(state, event.by, event.proof);
  if (currentPause.cause === 'escalated') throw impossibleEvent('an escalation is decided, not resumed', state);
  return resumeWork(env, unsuspend(withSignature(state, event.proof)));
};

/** Cancels the run in any state, including while it waits for people. */
export const onRunCancelled: Reacts<'run_cancelled'> = (_env, state, event) => {
  assertProof(state, event.by, event.proof);
  const detail = { by: event.by, reason: event.reason };
  return [raise(state, { code: 'USER_CANCEL', reason: 'cancelled', detail }), NO_EFFECTS];
};

/** Extends a budget by the recorded decision of a named person. A run that was stopped by that budget continues. */
export const onBudgetExtended: Reacts<'budget_extended'> = (env, state, event) => {
  if (state.budget === null) throw impossibleEvent('a budget that does not exist yet', state);
  if (state.laneContext !== undefined) throw impossibleEvent('a lane has what its parent has set aside for it', state);
  assertDecider(state, 'budget_extended', event.by);
  assertProof(state, event.by, event.proof);
  assertPacketHash(state.people.escalation, event.packet_hash);
  const budget = extend(state.budget, event.delta, { by: event.by, reason: event.reason });
  const addedMs = (budget.caps.wall_clock_seconds_max - state.budget.caps.wall_clock_seconds_max) * 1000;
  const { deadlineAt } = state.session;
  const session = { ...state.session, deadlineAt: deadlineAt === null ? null : deadlineAt + addedMs };
  const extended = { ...meterReview(withSignature(state, event.proof)), budget, session };
  const isShort = state.people.escalation?.stop.code === 'BUDGET_EXHAUSTED';
  if (state.session.status !== 'paused' || !isShort) return [extended, NO_EFFECTS];
  return continueWork(env, { ...extended, people: { ...extended.people, escalation: null, decision: 'continue' } });
};

export const onEscalationDecided: Reacts<'escalation_decided'> = (env, state, event) => {
  const open = state.people.escalation;
  if (open === null || state.session.status !== 'paused') throw impossibleEvent('nothing was escalated', state);
  assertDecider(state, 'escalation_decided', event.by);
  assertProof(state, event.by, event.proof);
  assertPacketHash(open, event.packet_hash);
  assertAllowed(open, event);
  const signed = meterReview(withSignature(state, event.proof));
  const decided = (decision: 'continue' | 'finish'): RunState => ({
    ...signed,
    people: { ...signed.people, escalation: null, decision },
  });
  switch (event.decision) {
    case 'terminate': {
      const detail = { ...open.stop.detail, decided_by: event.by, decision_reason: event.reason };
      const stop = { ...open.stop, detail };
      const ending = event.compromised === true ? markCompromised(stop, event.by) : stop;
      return [raise(decided('continue'), ending), NO_EFFECTS];
    }
    case 'finalize':
      return finalize(env, state, decided('finish'), open.stop);
    case 'continue':
      if (open.stop.detail?.['finishing'] === true && event.happened === undefined) {
        const settled = applyDoubtDecision(decided('finish'), open.stop.detail);
        return finalize(env, { ...state, work: settled.work }, settled, null);
      }
      return continueRun(env, decided('continue'), open, event);
    default:
      throw unknownVariant(event.decision, '/decision');
  }
};

/**
 * Ends a run with an answer by a person's decision. A call in doubt that `shown`, the stop of their packet, was not about is
 * shown to them first, because the answer would be a success with an effect that was not observed.
 */
function finalize(env: KernelEnv, state: RunState, decided: RunState, shown: Stop | null): Reaction {
  if (state.ending.withheld !== undefined) return releaseAnswer(unsuspend(decided));
  const isShown = shown?.reason === 'call_in_doubt' || !hasRule(state, 'finish_shows_doubts');
  const doubt = isShown ? null : doubtAtEnd(decided);
  if (doubt !== null) {
    const stop = { ...doubt, detail: { ...doubt.detail, finishing: true } };
    return escalateRun(env, unsuspend(decided), 'call_in_doubt', stop);
  }
  // The answer is reached through the approval node, where a person's decision leads to it.
  const isElsewhere = isAtNode(env, state, 'plan') || isAtNode(env, state, 'completion_check');
  const approving = isElsewhere ? walk(env, forgetVisits(state), 'human_approval') : state;
  return [walk(env, unsuspend({ ...approving, people: decided.people }), 'finalize'), [{ kind: 'compile_response' }]];
}

function continueRun(
  env: KernelEnv,
  decided: RunState,
  open: OpenEscalation,
  { happened, by }: EventOf<'escalation_decided'>,
): Reaction {
  if (happened !== undefined) return acceptReport(env, resetAttempts(decided), open, happened.result, by);
  const about = open.stop.detail ?? {};
  const settled =
    open.stop.reason === 'duplicate_action' ? approveRepeat(decided, about) : applyDoubtDecision(decided, about);
  if (open.stop.reason === 'call_in_doubt' && isAtNode(env, settled, 'completion_check'))
    return [resetAttempts(settled), [{ kind: 'judge_run' }]];
  return continueWork(env, allowOneTry(allowOneRepeat(settled, open.stop), open.stop));
}

/** Allows one more of the calls that the loop guard stopped. The next one needs another decision. */
function allowOneRepeat(state: RunState, { reason, detail = {} }: Stop): RunState {
  const { kind, tool, args_hash } = detail;
  if (reason !== 'loop_detected' || !isRepeatedWork(kind) || !hasRule(state, 'repeats_reviewed')) return state;
  if (typeof tool !== 'string' || typeof args_hash !== 'string') return state;
  return { ...state, guard: allowCall(state.guard, tool, args_hash) };
}

/** Requires that a run with a security breach is terminated, and that a compromise is confirmed only then. */
function assertAllowed(
  { trigger }: OpenEscalation,
  { decision, compromised: confirmed, happened }: EventOf<'escalation_decided'>,
): void {
  const breach = trigger === 'security_breach';
  if (breach && decision !== 'terminate') {
    throw new Fault('permission_denied', 'a run in which something dangerous was found can only be terminated');
  }
  if (confirmed !== undefined && (!breach || decision !== 'terminate')) {
    const message = 'a compromise is confirmed where a run is terminated for something dangerous, and nowhere else';
    throw new Fault('input_invalid', message, { path: '/compromised' });
  }
  if (happened !== undefined && decision !== 'continue') {
    const message = 'what a call came to is told to a run that goes on: decide "continue", or leave it out';
    throw new Fault('input_invalid', message, { path: '/happened' });
  }
}

/**
 * Continues after a person's decision. A refused plan is verified again, since the cause may have changed. A run at the
 * plan node asks the planner. Otherwise the blocked step starts again.
 */
function continueWork(env: KernelEnv, state: RunState): Reaction {
  const fresh = resetAttempts(state);
  const { proposal, verdict } = fresh.planning;
  if (proposal !== null && verdict !== null && verdict !== 'ok') {
    return [{ ...fresh, planning: { ...fresh.planning, verdict: null } }, [{ kind: 'verify_plan', proposal }]];
  }
  if (nextStep(fresh) === null && !isAtNode(env, fresh, 'plan')) {
    throw impossibleEvent('there is no step of a verified plan to go on with; finalize or terminate instead', state);
  }
  return resumeWork(env, fresh);
}

/** Resets the counters of failed attempts after a person's decision. */
const resetAttempts = (state: RunState): RunState => ({
  ...forgetVisits(unsuspend(state)),
  budget: state.budget === null ? null : clearRetries(state.budget),
  counters: { ...state.counters, repairsInARow: 0 },
});

export const onQuestionAnswered: Reacts<'question_answered'> = (env, state, event) => {
  const question = state.people.question;
  if (question === null || question.questionId !== event.question_id) {
    throw impossibleEvent(`question ${event.question_id} is not open`, state);
  }
  if (state.now >= question.expiresAt) throw new Fault('gate_closed', `question ${event.question_id} has expired`);
  assertPacketHash(question, event.packet_hash);
  const absent = question.fields.filter((field) => !Object.hasOwn(event.answers, field));
  if (absent.length > 0) throw new Fault('input_missing', `the answer leaves out ${absent.join(', ')}`);
  assertRequested(question, event.answers);
  const intent = chosenReading(question, event.answers) ?? state.intake.intent;
  const rescope = event.changes_scope || state.manifest === null;
  const planning = isAtNode(env, state, 'plan');
  if (rescope && planning) {
    throw impossibleEvent('a planner was answered with a new scope, which only a new request can bring', state);
  }
  const answered: RunState = {
    ...dropCurrent(unsuspend(state)),
    people: { ...state.people, question: null },
    intake: { ...addAnswers(state, question, event), confidence: 1, intent, rescope },
  };
  if (rescope) {
    return [walk(env, answered, 'scope_resolution'), [{ kind: 'resolve_scope' }]];
  }
  const reason = { code: 'question_answered', step_id: null, message: 'the user answered', detail: event.answers };
  return requestPlan(env, planning ? answered : walk(env, answered, 'plan'), reason);
};

/** Requires an answer that names one of the offered readings. */
function chosenReading(question: OpenQuestion, answers: JsonObject): string | null {
  if (question.code !== 'AMBIGUOUS_INTENT') return null;
  const chosen = question.readings.find((reading) => reading === answers['intent']);
  if (chosen !== undefined) return chosen;
  throw new Fault('input_invalid', `choose one of ${question.readings.join(', ')}`, { path: '/intent' });
}

/** Rejects answers to fields that were not asked for. */
function assertRequested({ fields }: OpenQuestion, answers: JsonObject): void {
  const extra = Object.keys(answers).find((field) => !fields.includes(field));
  if (extra === undefined) return;
  throw new Fault('input_invalid', `the run did not ask for ${printable(extra)}`, { path: pointerToken(extra) });
}

/** Adds the answers to the intake and records whether the requester or another person gave them. */
function addAnswers({ intake }: RunState, question: OpenQuestion, event: EventOf<'question_answered'>): IntakeState {
  const answers = { ...intake.answers, ...event.answers };
  const fields = Object.keys(event.answers);
  const without = (names: readonly string[] = []): readonly string[] => names.filter((name) => !fields.includes(name));
  const { answeredByOthers, answeredByRequester } = intake;
  const byRequester = [...without(answeredByRequester), ...fields];
  // Choosing an offered reading adds no content, whoever chooses it.
  if (question.code === 'AMBIGUOUS_INTENT') return { ...intake, answers, answeredByRequester: byRequester };
  return event.by === intake.identity?.actor
    ? { ...intake, answers, answeredByOthers: without(answeredByOthers), answeredByRequester: byRequester }
    : {
        ...intake,
        answers,
        answeredByOthers: [...without(answeredByOthers), ...fields],
        answeredByRequester: without(answeredByRequester),
      };
}

/**
 * Accepts a person's report that the call in doubt happened, with its result. The call is not repeated. The result is
 * verified by the tool's schema and probe like a lost answer, and carries the person's name.
 */
function acceptReport(env: KernelEnv, state: RunState, { stop }: OpenEscalation, result: Json, by: string): Reaction {
  const { current } = state;
  if (stop.reason !== 'call_in_doubt' || !isSentCall(current, stop.detail?.['call_id'])) {
    throw invalidReport('only a call in doubt that this very step has sent can be said to have happened');
  }
  const until = settledBy(current.call);
  if (state.now < until) {
    throw invalidReport(`${current.tool} may still be under way: what became of it can be said from ${until} on`);
  }
  const [problem] = env.tools.checkOutput(current.tool, result);
  if (problem !== undefined)
    throw invalidReport(`${current.tool} does not answer like that: ${problem.path} ${problem.message}`);
  // The call was sent, so the path to its result starts at the attempt.
  const sent: RunState = { ...state, current: { ...current, rung: 'attempted' } };
  const invoked = walk(env, sent, 'action_selection', 'tool_eligibility', 'tool_invocation');
  return observeLate(env, invoked, current, { raw: result, detail: `said by ${by}` });
}

type SentStep = CurrentStep & { readonly call: NonNullable<CurrentStep['call']> };

const isSentCall = (current: CurrentStep | null, callId: unknown): current is SentStep =>
  current?.call != null && current.call.callId === callId;

const invalidReport = (message: string): Fault => new Fault('input_invalid', message, { path: '/happened' });
