import type { EventType, RunEvent } from '../../model/events/event.ts';
import { malformedRequired } from '../../model/events/event-fields.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { PhaseName } from '../../model/plan/phase.ts';

/** The phase that each of these events ends. `plan_verified` ends two: the next one, `budget_assign`, needs nothing more. */
const ENDED_PHASES: { readonly [T in EventType]?: PhaseName } = {
  goal_received: 'goal_intake',
  scope_resolved: 'scope_resolution',
  policy_checked: 'policy_check',
  run_initialized: 'state_init',
  plan_verified: 'plan_selection',
  step_refused: 'tool_eligibility',
  step_cleared: 'action_selection',
  step_observed: 'tool_invocation',
  step_verified: 'observation_grounding',
  step_committed: 'state_update',
  step_judged: 'validation_check',
  reflection_made: 'reflection_trigger',
  run_judged: 'termination_check',
  run_escalated: 'escalation_check',
  response_compiled: 'final_response',
  memory_proposed: 'memory_write',
  run_terminated: 'trace_logging',
};
const PHASE_ENDED_BY: ReadonlyMap<string, PhaseName> = new Map(Object.entries(ENDED_PHASES));

/**
 * Checks the event that ends a phase before the next phase starts from it. The fault names the phase and the field; null
 * for an event that is well formed or ends no phase. The check is a cheap one: input was parsed when it came in.
 */
export function malformedHandoff(event: RunEvent): Fault | null {
  const phase = PHASE_ENDED_BY.get(event.type);
  if (phase === undefined) return null;
  const name = malformedRequired(event);
  if (name === null) return null;
  const value = (event as unknown as Readonly<Record<string, unknown>>)[name];
  const problem = value === undefined ? 'is missing' : 'is not what the next phase can start from';
  // An escalation without a recipient has a fault code of its own.
  const code = event.type === 'run_escalated' ? 'escalation_invalid' : 'event_invalid';
  return new Fault(code, `${phase} hands over a malformed ${event.type}: ${name} ${problem}`, { path: `/${name}` });
}
