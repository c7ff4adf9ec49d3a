import type { EventOf } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { JsonObject } from '../model/json.ts';
import { assertAsked, heardFrom } from './answered-by.ts';
import { askPlanner } from './ask-planner.ts';
import { extend } from './budget-extend.ts';
import { clearRetries } from './budget-gauge.ts';
import { raise } from './closing.ts';
import { assertAbout, assertDecider, assertProof, withSignature } from './decider.ts';
import { settleDecided } from './doubt.ts';
import { dropCurrent } from './drop-current.ts';
import type { KernelEnv } from './env.ts';
import { goOn } from './go-on.ts';
import { nextStep } from './next-step.ts';
import { release } from './on-finish.ts';
import type { OpenEscalation, OpenQuestion } from './people-state.ts';
import { impossible, NOTHING, type Reaction, type Reacts } from './reaction.ts';
import { compromised } from './revocation/compromise.ts';
import type { RunState } from './state.ts';
import { pause, resumingSoon, unsuspend } from './suspend.ts';
import { takeAsHappened } from './take-as-happened.ts';
import { reopened } from './tripped.ts';
import { approveAgain } from './twin.ts';
import { forgetVisits, standsOn, walk } from './walk.ts';

/** No new step starts while paused; what is in flight may land. */
export const onRunPaused: Reacts<'run_paused'> = (_env, state, event) => {
  if (state.session.status !== 'in_progress') throw impossible('only a session in progress can be paused', state);
  assertProof(state, event.by, event.proof);
  const paused = pause(withSignature(state, event.proof), event.cause, event.by, 'operator');
  return [event.resumes === undefined ? paused : resumingSoon(paused), NOTHING];
};

export const onRunResumed: Reacts<'run_resumed'> = (env, state, event) => {
  const held = state.session.pause;
  if (state.session.status !== 'paused' || held === null)
    throw impossible('only a paused session can be resumed', state);
  if (!event.operator) {
    throw new Fault('operator_approval_required', `a session paused by ${held.cause} goes on only with an operator`);
  }
  assertDecider(state, 'run_resumed', event.by);
  assertProof(state, event.by, event.proof);
  if (held.cause === 'escalated') throw impossible('an escalation is decided, not resumed', state);
  return goOn(env, unsuspend(withSignature(state, event.proof)));
};

/** A cancel is heard everywhere, also while people are waited for. */
export const onRunCancelled: Reacts<'run_cancelled'> = (_env, state, event) => {
  assertProof(state, event.by, event.proof);
  const detail = { by: event.by, reason: event.reason };
  return [raise(state, { code: 'USER_CANCEL', reason: 'cancelled', detail }), NOTHING];
};

/** The only way a cap grows: a named person's recorded decision. A run frozen for want of budget goes on. */
export const onBudgetExtended: Reacts<'budget_extended'> = (env, state, event) => {
  if (state.budget === null) throw impossible('a budget that does not exist yet', state);
  if (state.seat !== undefined) throw impossible('a lane has what its parent has set aside for it', state);
  assertDecider(state, 'budget_extended', event.by);
  assertProof(state, event.by, event.proof);
  assertAbout(state.people.escalation, event.packet_hash);
  const budget = extend(state.budget, event.delta, { by: event.by, reason: event.reason });
  const longer = (budget.caps.wall_clock_seconds_max - state.budget.caps.wall_clock_seconds_max) * 1000;
  const { deadlineAt } = state.session;
  const session = { ...state.session, deadlineAt: deadlineAt === null ? null : deadlineAt + longer };
  const extended = { ...withSignature(state, event.proof), budget, session };
  const waitsForIt = state.people.escalation?.stop.code === 'BUDGET_EXHAUSTED';
  if (state.session.status !== 'paused' || !waitsForIt) return [extended, NOTHING];
  return continueWork(env, { ...extended, people: { ...extended.people, escalation: null, decision: 'continue' } });
};

export const onEscalationDecided: Reacts<'escalation_decided'> = (env, state, event) => {
  const open = state.people.escalation;
  if (open === null || state.session.status !== 'paused') throw impossible('nothing was escalated', state);
  assertDecider(state, 'escalation_decided', event.by);
  assertProof(state, event.by, event.proof);
  assertAbout(open, event.packet_hash);
  assertEnding(open, event);
  const decision = event.decision === 'finalize' ? 'finish' : 'continue';
  const signed = withSignature(state, event.proof);
  const decided: RunState = { ...signed, people: { ...signed.people, escalation: null, decision } };
  const detail = { ...open.stop.detail, decided_by: event.by, decision_reason: event.reason };
  if (event.decision === 'terminate') {
    const stop = { ...open.stop, detail };
    return [raise(decided, event.compromised === true ? compromised(stop, event.by) : stop), NOTHING];
  }
  if (event.decision === 'finalize' && state.ending.withheld !== undefined) return release(unsuspend(decided));
  if (event.decision === 'finalize') {
    // Who was to plan has waited where plans are made; the way to an answer leads through whoever decided.
    const asked = standsOn(env, state, 'plan') ? walk(env, forgetVisits(state), 'human_approval') : state;
    return [walk(env, unsuspend({ ...asked, people: decided.people }), 'finalize'), [{ kind: 'compile_response' }]];
  }
  if (event.happened !== undefined) return takeAsHappened(env, afresh(decided), open, event.happened.result, event.by);
  const about = open.stop.detail ?? {};
  const again = open.stop.reason === 'duplicate_action' ? approveAgain(decided, about) : settleDecided(decided, about);
  return continueWork(env, reopened(again, open.stop));
};

/** A danger is not gone on from, and only where there is one can somebody say that credentials are in the wrong hands. */
function assertEnding(
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
 * The person gave authority back. A plan that was refused is put before the Critic again, since what it was refused
 * for may have changed; a run that could not ask for one asks; otherwise the step that was stuck starts afresh.
 */
function continueWork(env: KernelEnv, state: RunState): Reaction {
  const fresh = afresh(state);
  const { proposal, verdict } = fresh.planning;
  if (proposal !== null && verdict !== null && verdict !== 'ok') {
    return [{ ...fresh, planning: { ...fresh.planning, verdict: null } }, [{ kind: 'verify_plan', proposal }]];
  }
  if (nextStep(fresh) === null && !standsOn(env, fresh, 'plan')) {
    throw impossible('there is no step of a verified plan to go on with; finalize or terminate instead', state);
  }
  return goOn(env, fresh);
}

/** Whatever was tried before a person looked does not count against what is tried after. */
const afresh = (state: RunState): RunState => ({
  ...forgetVisits(unsuspend(state)),
  budget: state.budget === null ? null : clearRetries(state.budget),
  counters: { ...state.counters, repairsInARow: 0 },
});

export const onQuestionAnswered: Reacts<'question_answered'> = (env, state, event) => {
  const question = state.people.question;
  if (question === null || question.questionId !== event.question_id) {
    throw impossible(`question ${event.question_id} is not open`, state);
  }
  if (state.now >= question.expiresAt) throw new Fault('gate_closed', `question ${event.question_id} has expired`);
  assertAbout(question, event.packet_hash);
  const absent = question.fields.filter((field) => !Object.hasOwn(event.answers, field));
  if (absent.length > 0) throw new Fault('input_missing', `the answer leaves out ${absent.join(', ')}`);
  assertAsked(question, event.answers);
  const intent = chosenReading(question, event.answers) ?? state.intake.intent;
  const rescope = event.changes_scope || state.manifest === null;
  const planning = standsOn(env, state, 'plan');
  if (rescope && planning) {
    throw impossible('a planner was answered with a new scope, which only a new request can bring', state);
  }
  const answered: RunState = {
    ...dropCurrent(unsuspend(state)),
    people: { ...state.people, question: null },
    intake: { ...heardFrom(state, question, event), confidence: 1, intent, rescope },
  };
  if (rescope) {
    return [walk(env, answered, 'scope_resolution'), [{ kind: 'resolve_scope' }]];
  }
  const reason = { code: 'question_answered', step_id: null, message: 'the user answered', detail: event.answers };
  return askPlanner(env, planning ? answered : walk(env, answered, 'plan'), reason);
};

/** Of several readings one has to be chosen by name; nothing else is an answer to that question. */
function chosenReading(question: OpenQuestion, answers: JsonObject): string | null {
  if (question.code !== 'AMBIGUOUS_INTENT') return null;
  const chosen = question.readings.find((reading) => reading === answers['intent']);
  if (chosen !== undefined) return chosen;
  throw new Fault('input_invalid', `choose one of ${question.readings.join(', ')}`, { path: '/intent' });
}
