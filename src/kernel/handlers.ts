import type { EventType, RunEvent } from '../model/event.ts';
import { onShortageForeseen } from './advance.ts';
import { onArgumentsDrafted } from './draft/on-drafted.ts';
import type { KernelEnv } from './env.ts';
import { onRunForked } from './fork/on-run-forked.ts';
import { onInfoProvided } from './gate-info.ts';
import { onJudgesAnswered } from './judges/on-judges.ts';
import { onLaneReturned, onLaneSuspended } from './lanes/on-lane.ts';
import { onMemoryProposed, onMemoryRuled, onMemoryWritten } from './memory/on-memory.ts';
import { onAnswerCameLate, onStepAttempted, onStepCleared, onStepObserved, onStepRefused } from './on-call.ts';
import { onStepCommitted } from './on-committed.ts';
import { onResponseCompiled, onRunTerminated } from './on-finish.ts';
import { onDecisionRefused, onGateDecided, onGateOpened } from './on-gate.ts';
import { onGoalReceived, onIntentClassified, onPolicyChecked, onRunInitialized, onScopeResolved } from './on-intake.ts';
import { onStepJudged } from './on-judged.ts';
import { onProposalMade, onTransitionRequested, onViolationNoted } from './on-model.ts';
import {
  onBudgetExtended,
  onEscalationDecided,
  onQuestionAnswered,
  onRunCancelled,
  onRunPaused,
  onRunResumed,
} from './on-operator.ts';
import { onQuestionAsked, onRunEscalated } from './on-people.ts';
import { onPlanFailed, onPlanProposed, onPlanVerified } from './on-plan.ts';
import { onCallReconciled, onStepProbed } from './on-probe.ts';
import { onIntentRead } from './on-reading.ts';
import { onRunReloaded } from './on-reload.ts';
import { onRunJudged } from './on-run-judged.ts';
import { onRunMigrated, onRunSteered, onRunTakenOver } from './on-session.ts';
import { onTimePassed } from './on-time.ts';
import { onStepVerified, onStopRaised } from './on-verified.ts';
import { impossible, type Reaction, type Reacts } from './reaction.ts';
import { onContextCompressed, onReflectionMade } from './reflect-on.ts';
import { onCredentialsRevoked } from './revocation/revoke.ts';
import { ROLLBACK_HANDLERS } from './rollback/handlers.ts';
import { onCompensationProposed, onStepCompensated } from './rollback/on-undo.ts';
import { isRollingBack } from './rollback/step-at-hand.ts';
import type { RunState } from './state.ts';

/** A handler that has forgotten which event it is for; the table below remembers. */
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
  response_compiled: onResponseCompiled,
  memory_proposed: onMemoryProposed,
  memory_ruled: onMemoryRuled,
  memory_written: onMemoryWritten,
  run_terminated: onRunTerminated,
};

export const HANDLERS: Readonly<Record<string, Handler>> = TYPED as unknown as Readonly<Record<string, Handler>>;
const KNOWN = byType(TYPED);
const ON_THE_WAY_BACK = byType(ROLLBACK_HANDLERS);

/** Asked with names that strangers chose, so nothing is found but what was put in. */
function byType(handlers: Partial<typeof TYPED>): ReadonlyMap<string, Handler> {
  return new Map(Object.entries(handlers as unknown as Readonly<Record<string, Handler>>));
}

/** The handler of an event; a run that takes back what it did hears of nothing else. Undefined where there is no such event. */
export function handlerFor(state: RunState, type: string): Handler | undefined {
  const known = KNOWN.get(type);
  return known === undefined || !isRollingBack(state) ? known : (ON_THE_WAY_BACK.get(type) ?? onlyBack);
}

const onlyBack: Handler = (_env, state, { type }) => {
  throw impossible(`${type} while the run takes back what it did`, state);
};
