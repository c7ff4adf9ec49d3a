import { z } from 'zod';
import { BudgetCaps } from '../budget/budget.ts';
import { RunCost } from '../budget/run-cost.ts';
import { CheckpointVerdict } from '../events/checkpoint.ts';
import { TerminalCode } from '../fault/terminal-code.ts';
import { EscalationEvent } from '../gate/escalation.ts';
import { GateKind } from '../gate/gate.ts';
import { exact, exactObject } from '../json/exact.ts';
import { type Address, ContentAddress } from '../json/hash.ts';
import { Instant, Name, Text } from '../json/name.ts';
import { Goal } from '../plan/goal.ts';
import type { LaneCall } from '../run/lane-outcome.ts';
import { BudgetSource, ModelVersions, Versions } from '../run/manifest.ts';
import { ToolOutcome } from '../tool/tool.ts';

/** The authority the run acted under. */
export interface UserScope {
  readonly actor: string;
  readonly roles: readonly string[];
  readonly data_scopes: readonly string[];
}
export const UserScope: z.ZodType<UserScope> = exactObject({
  actor: Name,
  roles: z.array(Name),
  data_scopes: z.array(Name),
});

/** The placeholder for a value that the run ended too early to have; the field is never omitted. */
export const NONE = 'none';
export type None = typeof NONE;

/** The task state after one verdict, and the address of the full state. */
export interface StateCheckpoint {
  readonly checkpoint_id: string;
  /** The subject of the verdict; `none` for the last checkpoint of a run that timed out. */
  readonly judged: 'plan' | 'step' | 'run' | None;
  /** The judged step, or the last one that was judged. */
  readonly after_step: string | null;
  readonly verdict: CheckpointVerdict | null;
  readonly state_version: number;
  readonly node: string;
  readonly state: Address;
  readonly at: Instant;
}
export const StateCheckpoint: z.ZodType<StateCheckpoint> = exactObject({
  checkpoint_id: Name,
  judged: z.enum(['plan', 'step', 'run', NONE]),
  after_step: Name.nullable(),
  verdict: CheckpointVerdict.nullable(),
  state_version: z.int().nonnegative(),
  node: Name,
  state: ContentAddress,
  at: Instant,
});

/** A pointer to a journal event: the hash of its frame and the index in that frame, such as `sha256:…#/2`. */
const EVENT_POINTER = /^sha256:[0-9a-f]{64}#\/(0|[1-9]\d*)$/;
export type EventPointer = `${Address}#/${number}`;
export const EventPointer: z.ZodType<EventPointer> = z
  .string()
  .regex(
    EVENT_POINTER,
    'must be the hash of a frame and the place of an event in it',
  ) as unknown as z.ZodType<EventPointer>;

export interface ToolCallTrace {
  readonly tool: string;
  readonly args_hash: Address;
  readonly request_id: string;
  readonly result_status: ToolOutcome | 'in_doubt';
  /** Pointer to the recorded raw answer. Null only if no answer ever came. */
  readonly observation: EventPointer | null;
  /** Present if the answer was lost: the person who reported the outcome. */
  readonly said_by?: string;
  /** Present if the call opened a lane: its id, run and span. The lane's own records are below that span. */
  readonly lane?: LaneCall;
}
export const ToolCallTrace: z.ZodType<ToolCallTrace> = exactObject({
  tool: Name,
  args_hash: ContentAddress,
  request_id: Name,
  result_status: z.union([ToolOutcome, z.literal('in_doubt')]),
  observation: EventPointer.nullable(),
  said_by: Name.exactOptional(),
  lane: z.strictObject({ lane_id: Name, run_id: Name, span_id: Name }).exactOptional(),
});

export interface BudgetTrace {
  /** Null if the run ended before it had a budget. */
  readonly caps: BudgetCaps | null;
  readonly used: Readonly<Record<string, number>>;
  /** The profile behind the caps and the overridden dimensions. Absent if the run recorded none. */
  readonly source?: BudgetSource;
  /** The cost of the run by unit. It is for reports; no cap and no decision reads it. */
  readonly cost: RunCost;
}
export const BudgetTrace: z.ZodType<BudgetTrace> = exactObject({
  caps: BudgetCaps.nullable(),
  used: z.record(Name, z.number().nonnegative()),
  source: BudgetSource.exactOptional(),
  cost: RunCost,
});

export const VALIDATION_KINDS = ['schema', 'safety', 'grounding', 'acceptance'] as const;
export interface ValidationResult {
  readonly kind: (typeof VALIDATION_KINDS)[number];
  readonly step_id: string | null;
  readonly validator_id: string;
  readonly passed: boolean;
  readonly detail: string;
}
export const ValidationResult: z.ZodType<ValidationResult> = exactObject({
  kind: z.enum(VALIDATION_KINDS),
  step_id: Name.nullable(),
  validator_id: Name,
  passed: z.boolean(),
  detail: Text,
});

/** A gate at which the run waited for a person. */
export interface TracedGateRequest {
  readonly kind: 'gate';
  readonly gate_id: string;
  readonly name: string;
  /** All gates of the call, `name` first. Absent if `name` is the only one. */
  readonly gates?: readonly string[];
  readonly gate_kind: GateKind;
  readonly step_id: string | null;
  readonly packet_hash: string;
}

/** A handover of authority over the entire run. */
export interface HandoverRequest {
  readonly kind: 'handover';
  readonly escalation: EscalationEvent;
  readonly packet_hash: string | null;
}

/** A question to a person. */
export interface QuestionRequest {
  readonly kind: 'question';
  readonly question_id: string;
  readonly fields: readonly string[];
  readonly readings: readonly string[];
}

export type EscalationRequest = TracedGateRequest | HandoverRequest | QuestionRequest;
export const EscalationRequest: z.ZodType<EscalationRequest> = exact(
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('gate'),
      gate_id: Name,
      name: Name,
      gates: z.array(Name).exactOptional(),
      gate_kind: GateKind,
      step_id: Name.nullable(),
      packet_hash: Name,
    }),
    z.strictObject({ kind: z.literal('handover'), escalation: EscalationEvent, packet_hash: Name.nullable() }),
    z.strictObject({
      kind: z.literal('question'),
      question_id: Name,
      fields: z.array(Name),
      readings: z.array(Name),
    }),
  ]),
);

export const ESCALATION_OUTCOMES = ['open', 'continued', 'finalized', 'terminated', 'expired', 'withdrawn'] as const;

/** A request to people with its decision, approver and outcome. Without a decision, the fields say so. */
export interface EscalationTrace {
  readonly request: EscalationRequest;
  readonly requested_at: Instant;
  readonly decision: string;
  readonly approver: string;
  readonly outcome: (typeof ESCALATION_OUTCOMES)[number];
  /** Null while the request is open. */
  readonly settled_at: Instant | null;
}
export const EscalationTrace: z.ZodType<EscalationTrace> = exactObject({
  request: EscalationRequest,
  requested_at: Instant,
  decision: Name,
  approver: Name,
  outcome: z.enum(ESCALATION_OUTCOMES),
  settled_at: Instant.nullable(),
});

/**
 * The complete trace of an ended run, in fourteen fields. Tenant and user scope count as one field but have two keys,
 * because stores are partitioned by tenant. A version that the run ended too early to have is `none`.
 */
export interface RunTrace {
  readonly run_id: string;
  readonly tenant_id: string;
  readonly user_scope: UserScope;
  readonly goal_object: Goal;
  readonly autonomy_boundary_version: string;
  readonly workflow_graph_version: Address | None;
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
export const RunTrace: z.ZodType<RunTrace> = exactObject({
  run_id: Name,
  tenant_id: Name,
  user_scope: UserScope,
  goal_object: Goal,
  autonomy_boundary_version: Name,
  workflow_graph_version: z.union([ContentAddress, z.literal(NONE)]),
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
