import { z } from 'zod';

/** What each phase of a run hands to the next. */
export const PHASE_ARTIFACTS = [
  'goal_object',
  'security_token',
  'safety_clearance',
  'task_state',
  'plan',
  'budget_token',
  'tool_list',
  'proposed_action',
  'raw_payload',
  'grounded_observation',
  'updated_task_state',
  'score_card',
  'repair_plan',
  'stop_or_continue',
  'escalation_payload',
  'response',
  'memory_block',
  'trace_archive',
] as const;
export type PhaseArtifact = (typeof PHASE_ARTIFACTS)[number];
export const PhaseArtifact: z.ZodType<PhaseArtifact> = z.enum(PHASE_ARTIFACTS);

export const PHASE_NAMES = [
  'goal_intake',
  'scope_resolution',
  'policy_check',
  'state_init',
  'plan_selection',
  'budget_assign',
  'tool_eligibility',
  'action_selection',
  'tool_invocation',
  'observation_grounding',
  'state_update',
  'validation_check',
  'reflection_trigger',
  'termination_check',
  'escalation_check',
  'final_response',
  'memory_write',
  'trace_logging',
] as const;
export type PhaseName = (typeof PHASE_NAMES)[number];
export const PhaseName: z.ZodType<PhaseName> = z.enum(PHASE_NAMES);

export interface Phase {
  readonly name: PhaseName;
  readonly artifact: PhaseArtifact;
  /** The action cycle goes round; what comes before and after it happens once. */
  readonly repeatable: boolean;
}

const FIRST_REPEATABLE = PHASE_NAMES.indexOf('tool_eligibility');
const LAST_REPEATABLE = PHASE_NAMES.indexOf('termination_check');

/** The life of a run, in order. Each phase starts only with the artifact of the one before. */
export const PHASES: readonly Phase[] = PHASE_ARTIFACTS.flatMap((artifact, index) => {
  const name = PHASE_NAMES[index];
  return name === undefined
    ? []
    : [{ name, artifact, repeatable: FIRST_REPEATABLE <= index && index <= LAST_REPEATABLE }];
});
