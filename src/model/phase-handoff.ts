import { z } from 'zod';
import { ApprovalMode } from './approval-mode.ts';
import { Claim } from './claim.ts';
import { EscalationEvent } from './escalation.ts';
import { Goal } from './goal.ts';
import { SecurityToken } from './identity.ts';
import { JsonValue } from './json-schema.ts';
import { MemoryProposal } from './memory.ts';
import { Name, Text } from './name.ts';
import { Confirmed } from './observation.ts';
import type { PhaseArtifact } from './phase.ts';
import { TerminalCode } from './terminal-code.ts';
import { ToolOutcome } from './tool.ts';
import { PlanVerdict, Scores } from './verdict.ts';

const version = z.int().nonnegative();
const plan = z.strictObject({ plan_hash: Name.nullable(), verdict: PlanVerdict });
const refused = z.strictObject({ step_id: Name, code: Name });

/** What each phase hands to the next, as the record of phases holds it. Null where a phase had nothing to hand on. */
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
