import { z } from 'zod';
import { BudgetCaps } from './budget.ts';
import { ContentAddress } from './content-address.ts';
import { EscalationEvent } from './escalation.ts';
import { Goal } from './goal.ts';
import type { Address } from './hash.ts';
import { ModelVersions, Versions } from './manifest.ts';
import { Instant, Name, Text } from './name.ts';
import { TerminalCode } from './terminal-code.ts';
import { ToolOutcome } from './tool.ts';

/** Under whose authority the run acted. */
export interface UserScope {
  readonly actor: string;
  readonly roles: readonly string[];
  readonly data_scopes: readonly string[];
}
export const UserScope: z.ZodType<UserScope> = z.strictObject({
  actor: Name,
  roles: z.array(Name),
  data_scopes: z.array(Name),
});

/** The task state after one verified transition. */
export interface StateCheckpoint {
  readonly state_version: number;
  readonly node: string;
  readonly state: Address;
  readonly at: Instant;
}
export const StateCheckpoint: z.ZodType<StateCheckpoint> = z.strictObject({
  state_version: z.int().nonnegative(),
  node: Name,
  state: ContentAddress,
  at: Instant,
});

export interface ToolCallTrace {
  readonly tool: string;
  readonly args_hash: Address;
  readonly request_id: string;
  readonly result_status: ToolOutcome | 'in_doubt';
  /** Null only while the call is in doubt. */
  readonly observation: Address | null;
}
export const ToolCallTrace: z.ZodType<ToolCallTrace> = z.strictObject({
  tool: Name,
  args_hash: ContentAddress,
  request_id: Name,
  result_status: z.union([ToolOutcome, z.literal('in_doubt')]),
  observation: ContentAddress.nullable(),
});

export interface BudgetTrace {
  readonly caps: BudgetCaps;
  readonly used: Readonly<Record<string, number>>;
}
export const BudgetTrace: z.ZodType<BudgetTrace> = z.strictObject({
  caps: BudgetCaps,
  used: z.record(Name, z.number().nonnegative()),
});

export const VALIDATION_KINDS = ['schema', 'safety', 'grounding', 'acceptance'] as const;
export interface ValidationResult {
  readonly kind: (typeof VALIDATION_KINDS)[number];
  readonly step_id: string | null;
  readonly validator_id: string;
  readonly passed: boolean;
  readonly detail: string;
}
export const ValidationResult: z.ZodType<ValidationResult> = z.strictObject({
  kind: z.enum(VALIDATION_KINDS),
  step_id: Name.nullable(),
  validator_id: Name,
  passed: z.boolean(),
  detail: Text,
});

export const ESCALATION_OUTCOMES = ['open', 'continued', 'finalized', 'terminated', 'expired'] as const;

/** The request, what somebody decided, who, and how it ended. */
export interface EscalationTrace {
  readonly request: EscalationEvent;
  readonly decision: string | null;
  readonly approver: string | null;
  readonly outcome: (typeof ESCALATION_OUTCOMES)[number];
}
export const EscalationTrace: z.ZodType<EscalationTrace> = z.strictObject({
  request: EscalationEvent,
  decision: Name.nullable(),
  approver: Name.nullable(),
  outcome: z.enum(ESCALATION_OUTCOMES),
});

/**
 * The whole path of a run, written once at its end. Fourteen fields; tenant and user scope are one of
 * them, kept as two keys because a tenant is what stores are divided by.
 */
export interface RunTrace {
  readonly run_id: string;
  readonly tenant_id: string;
  readonly user_scope: UserScope;
  readonly goal_object: Goal;
  readonly autonomy_boundary_version: string;
  readonly workflow_graph_version: Address;
  readonly model_versions: ModelVersions;
  readonly prompt_template_versions: Versions;
  readonly tool_registry_version: string;
  readonly state_checkpoints: readonly StateCheckpoint[];
  readonly tool_calls: readonly ToolCallTrace[];
  readonly budget_vector: BudgetTrace;
  readonly validation_results: readonly ValidationResult[];
  readonly escalation_events: readonly EscalationTrace[];
  readonly terminal_code: TerminalCode;
}
export const RunTrace: z.ZodType<RunTrace> = z.strictObject({
  run_id: Name,
  tenant_id: Name,
  user_scope: UserScope,
  goal_object: Goal,
  autonomy_boundary_version: Name,
  workflow_graph_version: ContentAddress,
  model_versions: ModelVersions,
  prompt_template_versions: Versions,
  tool_registry_version: Name,
  state_checkpoints: z.array(StateCheckpoint),
  tool_calls: z.array(ToolCallTrace),
  budget_vector: BudgetTrace,
  validation_results: z.array(ValidationResult),
  escalation_events: z.array(EscalationTrace),
  terminal_code: TerminalCode,
});
