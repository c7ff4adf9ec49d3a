import { z } from 'zod';
import { PlanVerdict, Scores } from '../critic/verdict.ts';
import { Claim } from '../evidence/evidence.ts';
import { MemoryProposal } from '../evidence/memory.ts';
import { TerminalCode } from '../fault/terminal-code.ts';
import { ApprovalMode } from '../gate/approval-mode.ts';
import { EscalationEvent } from '../gate/escalation.ts';
import { JsonValue } from '../json/exact.ts';
import { Name, Text } from '../json/name.ts';
import { SecurityToken } from '../run/identity.ts';
import { Confirmed } from '../tool/observation.ts';
import { ToolOutcome } from '../tool/tool.ts';
import { Goal } from './goal.ts';

/** The artifact that each phase passes to the next. */
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
  /** True for the phases of the action cycle. All other phases happen once. */
  readonly repeatable: boolean;
}

const FIRST_REPEATABLE = PHASE_NAMES.indexOf('tool_eligibility');
const LAST_REPEATABLE = PHASE_NAMES.indexOf('termination_check');

/** The phases of a run, in order. A phase starts only with the artifact of the phase before it. */
export const PHASES: readonly Phase[] = PHASE_ARTIFACTS.flatMap((artifact, index) => {
  const name = PHASE_NAMES[index];
  return name === undefined
    ? []
    : [{ name, artifact, repeatable: FIRST_REPEATABLE <= index && index <= LAST_REPEATABLE }];
});

const version = z.int().nonnegative();
const plan = z.strictObject({ plan_hash: Name.nullable(), verdict: PlanVerdict });
const refused = z.strictObject({ step_id: Name, code: Name });

/** The schema of each artifact in the phase record. Null if a phase had nothing to pass on. */
export const PHASE_HANDOFFS: Readonly<Record<PhaseArtifact, z.ZodType>> = Object.freeze({
  goal_object: Goal,
  security_token: SecurityToken.nullable(),
  safety_clearance: z.strictObject({ cleared: z.boolean(), rule: Name.nullable() }),
  task_state: z.strictObject({ version, run_id: Name }),
  plan,
  budget_token: z.record(Name, z.number().nonnegative()),
  tool_list: z.union([z.array(Name), refused]),
  proposed_action: z.strictObject({ step_id: Name, args_hash: Name, mode: ApprovalMode }),
  raw_payload: z.strictObject({ call_id: Name, outcome: ToolOutcome, raw: JsonValue }),
  grounded_observation: z.strictObject({ call_id: Name, confirmed: Confirmed, validator: Name }),
  updated_task_state: z.strictObject({ version: z.int().positive(), evidence_id: Name }),
  score_card: z.strictObject({ step_id: Name, scores: Scores, criteria: Scores }),
  repair_plan: z.union([plan, z.strictObject({ trigger: Name, note: Text })]),
  stop_or_continue: z.strictObject({ stop: z.boolean(), unmet: z.array(Name) }),
  escalation_payload: EscalationEvent,
  response: z.strictObject({ claims: z.array(Claim), text: Text }),
  memory_block: z.array(MemoryProposal),
  trace_archive: z.strictObject({ code: TerminalCode, reason: Name, record: Name }),
});
