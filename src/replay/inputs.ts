import type { RunState } from '../kernel/index.ts';
import type { EventType, RunEvent } from '../model/events/event.ts';

/** Whether an event comes from outside the run. Other events follow from an earlier one in their frame. */
const IS_EXTERNAL: Readonly<Record<EventType, boolean>> = {
  goal_received: true,
  intent_classified: false,
  intent_read: true,
  scope_resolved: false,
  policy_checked: false,
  run_initialized: false,
  plan_proposed: true,
  plan_failed: true,
  plan_verified: false,
  shortage_foreseen: false,
  arguments_drafted: true,
  step_cleared: false,
  step_refused: false,
  step_attempted: false,
  step_observed: true,
  answer_came_late: true,
  lane_returned: true,
  lane_suspended: true,
  run_forked: true,
  call_reconciled: true,
  step_probed: true,
  step_verified: false,
  step_committed: false,
  compensation_proposed: false,
  step_compensated: false,
  step_judged: false,
  run_judged: false,
  judges_answered: true,
  gate_opened: false,
  gate_decided: true,
  info_provided: true,
  decision_refused: true,
  question_asked: true,
  question_answered: true,
  run_escalated: false,
  escalation_decided: true,
  budget_extended: true,
  run_paused: true,
  run_resumed: true,
  run_cancelled: true,
  run_steered: true,
  run_migrated: true,
  run_taken_over: true,
  proposal_made: true,
  transition_requested: true,
  violation_noted: false,
  reflection_made: true,
  context_compressed: true,
  run_reloaded: true,
  time_passed: true,
  stop_raised: true,
  credentials_revoked: true,
  answer_composed: true,
  sentences_judged: true,
  sentences_ruled: false,
  sentence_released: false,
  output_ruled: false,
  response_compiled: false,
  memory_proposed: false,
  memory_ruled: false,
  memory_written: true,
  run_terminated: false,
};

/**
 * The events that may have started a turn, the likeliest first. A passed deadline and its consequences are recorded
 * before the input that arrived later. If that input was refused, the deadline alone started the turn.
 */
export function possibleInputs([first, ...rest]: readonly RunEvent[]): readonly RunEvent[] {
  if (first === undefined) return [];
  const later = first.type === 'time_passed' ? rest.find(({ type }) => IS_EXTERNAL[type]) : undefined;
  return later === undefined ? [first] : [later, first];
}

/** The name of the input that the run was waiting for, if this event is not it; otherwise null. */
export function awaitedInput({ ending, current }: RunState, input: RunEvent): string | null {
  if (ending.inFlight === 'plan') {
    return input.type === 'plan_proposed' || input.type === 'plan_failed' ? null : 'the plan';
  }
  if (ending.inFlight === 'draft') return input.type === 'arguments_drafted' ? null : 'what was written for the step';
  if (ending.inFlight === 'answer') return input.type === 'answer_composed' ? null : 'the composed answer';
  if (ending.inFlight === 'verdicts') return input.type === 'sentences_judged' ? null : 'the verdicts on sentences';
  if (ending.inFlight === 'reading') return input.type === 'intent_read' ? null : 'what the request was read as';
  if (ending.inFlight === 'probe') {
    return input.type === 'call_reconciled' || input.type === 'step_probed' ? null : 'what the probe found';
  }
  if (ending.inFlight === 'revocation') {
    return input.type === 'credentials_revoked' ? null : 'what became of the credentials';
  }
  if (ending.inFlight === 'judges') return input.type === 'judges_answered' ? null : 'what the judges answered';
  if (ending.inFlight === 'lane') {
    return input.type === 'lane_returned' || input.type === 'lane_suspended' ? null : 'what the lanes came to';
  }
  if (ending.inFlight !== 'call' || current?.call == null) return null;
  const { callId } = current.call;
  return input.type === 'step_observed' && input.call_id === callId ? null : `the transcript ${callId}`;
}
