import type { EventType, RunEvent } from '../../model/events/event.ts';
import type { KernelEnv } from '../env.ts';
import { onLaneReturned, onLaneSuspended } from '../flow/lane/lane.ts';
import { onMemoryProposed, onMemoryRuled, onMemoryWritten } from '../flow/people/memory.ts';
import { onShortageForeseen } from '../flow/plan/advance.ts';
import { onContextCompressed, onReflectionMade } from '../flow/plan/reflect.ts';
import { onAnswerComposed, onSentenceReleased, onSentencesJudged, onSentencesRuled } from '../handlers/answer.ts';
import { onStepCommitted, onStepVerified, onStopRaised } from '../handlers/commit.ts';
import { onArgumentsDrafted } from '../handlers/draft.ts';
import { onResponseCompiled, onRunTerminated } from '../handlers/end.ts';
import { onRunForked } from '../handlers/fork.ts';
import { onDecisionRefused, onGateDecided, onGateOpened, onInfoProvided } from '../handlers/gate.ts';
import {
  onGoalReceived,
  onIntentClassified,
  onIntentRead,
  onPolicyChecked,
  onRunInitialized,
  onScopeResolved,
} from '../handlers/intake.ts';
import { onJudgesAnswered, onStepJudged } from '../handlers/judge.ts';
import { onOutputRuled, onRunJudged } from '../handlers/judge-run.ts';
import { onProposalMade, onTransitionRequested, onViolationNoted } from '../handlers/model.ts';
import {
  onBudgetExtended,
  onEscalationDecided,
  onQuestionAnswered,
  onRunCancelled,
  onRunPaused,
  onRunResumed,
} from '../handlers/operator.ts';
import { onQuestionAsked, onRunEscalated } from '../handlers/people.ts';
import { onPlanFailed, onPlanProposed, onPlanVerified } from '../handlers/plan.ts';
import { onCallReconciled, onStepProbed } from '../handlers/probe.ts';
import {
  onCompensationProposed,
  onStepCompensated,
  onUndoAttempted,
  onUndoCleared,
  onUndoObserved,
  onUndoProbed,
  onUndoReconciled,
  onUndoRefused,
  onUndoReloaded,
  onUndoStopped,
  onUndoTimePassed,
} from '../handlers/rollback.ts';
import { onRunMigrated, onRunReloaded, onRunSteered, onRunTakenOver } from '../handlers/session.ts';
import { onAnswerCameLate, onStepAttempted, onStepCleared, onStepObserved, onStepRefused } from '../handlers/step.ts';
import { onTimePassed } from '../handlers/time.ts';
import { impossibleEvent, isRollingBack } from '../state/lifecycle.ts';
import type { RunState } from '../state/run-state.ts';
import type { Reaction, Reacts } from '../transition/reaction.ts';
import { onCredentialsRevoked } from '../transition/revoke.ts';

/** A handler without its event type. The table guarantees the match. */
export type Handler = (env: KernelEnv, state: RunState, event: RunEvent) => Reaction;

const TYPED: { readonly [T in EventType]: Reacts<T> } = {
  goal_received: onGoalReceived,
  intent_classified: onIntentClassified,
  intent_read: onIntentRead,
  scope_resolved: onScopeResolved,
  policy_checked: onPolicyChecked,
  run_initialized: onRunInitialized,
  plan_proposed: onPlanProposed,
  plan_failed: onPlanFailed,
  plan_verified: onPlanVerified,
  shortage_foreseen: onShortageForeseen,
  arguments_drafted: onArgumentsDrafted,
  step_cleared: onStepCleared,
  step_refused: onStepRefused,
  step_attempted: onStepAttempted,
  step_observed: onStepObserved,
  answer_came_late: onAnswerCameLate,
  lane_returned: onLaneReturned,
  lane_suspended: onLaneSuspended,
  run_forked: onRunForked,
  call_reconciled: onCallReconciled,
  step_probed: onStepProbed,
  step_verified: onStepVerified,
  step_committed: onStepCommitted,
  compensation_proposed: onCompensationProposed,
  step_compensated: onStepCompensated,
  step_judged: onStepJudged,
  run_judged: onRunJudged,
  judges_answered: onJudgesAnswered,
  gate_opened: onGateOpened,
  gate_decided: onGateDecided,
  info_provided: onInfoProvided,
  decision_refused: onDecisionRefused,
  question_asked: onQuestionAsked,
  question_answered: onQuestionAnswered,
  credentials_revoked: onCredentialsRevoked,
  run_escalated: onRunEscalated,
  escalation_decided: onEscalationDecided,
  budget_extended: onBudgetExtended,
  run_paused: onRunPaused,
  run_resumed: onRunResumed,
  run_cancelled: onRunCancelled,
  run_steered: onRunSteered,
  run_migrated: onRunMigrated,
  run_taken_over: onRunTakenOver,
  proposal_made: onProposalMade,
  transition_requested: onTransitionRequested,
  violation_noted: onViolationNoted,
  reflection_made: onReflectionMade,
  context_compressed: onContextCompressed,
  run_reloaded: onRunReloaded,
  time_passed: onTimePassed,
  stop_raised: onStopRaised,
  answer_composed: onAnswerComposed,
  sentences_judged: onSentencesJudged,
  sentences_ruled: onSentencesRuled,
  sentence_released: onSentenceReleased,
  output_ruled: onOutputRuled,
  response_compiled: onResponseCompiled,
  memory_proposed: onMemoryProposed,
  memory_ruled: onMemoryRuled,
  memory_written: onMemoryWritten,
  run_terminated: onRunTerminated,
};

/** The handlers of a run during a rollback. All other events are refused. */
const ROLLBACK_HANDLERS: { readonly [T in EventType]?: Reacts<T> } = {
  compensation_proposed: onCompensationProposed,
  step_cleared: onUndoCleared,
  step_refused: onUndoRefused,
  step_attempted: onUndoAttempted,
  step_observed: onUndoObserved,
  answer_came_late: onAnswerCameLate,
  call_reconciled: onUndoReconciled,
  step_probed: onUndoProbed,
  step_compensated: onStepCompensated,
  gate_opened: onGateOpened,
  gate_decided: onGateDecided,
  info_provided: onInfoProvided,
  decision_refused: onDecisionRefused,
  // Escalations and questions from before the rollback are recorded.
  run_escalated: onRunEscalated,
  question_asked: onQuestionAsked,
  violation_noted: onViolationNoted,
  run_migrated: onRunMigrated,
  run_taken_over: onRunTakenOver,
  run_reloaded: onUndoReloaded,
  time_passed: onUndoTimePassed,
  stop_raised: onUndoStopped,
};

export const HANDLERS: Readonly<Record<string, Handler>> = TYPED as unknown as Readonly<Record<string, Handler>>;
const KNOWN = toMap(TYPED);
const ROLLBACK = toMap(ROLLBACK_HANDLERS);

/** A map, because lookups use untrusted names that could match prototype properties of an object. */
function toMap(handlers: Partial<typeof TYPED>): ReadonlyMap<string, Handler> {
  return new Map(Object.entries(handlers as unknown as Readonly<Record<string, Handler>>));
}

/** The handler of an event; undefined for an unknown one. A rollback admits only its own events. */
export function handlerFor(state: RunState, type: string): Handler | undefined {
  const known = KNOWN.get(type);
  return known === undefined || !isRollingBack(state) ? known : (ROLLBACK.get(type) ?? refuseDuringRollback);
}

const refuseDuringRollback: Handler = (_env, state, { type }) => {
  throw impossibleEvent(`${type} while the run takes back what it did`, state);
};
