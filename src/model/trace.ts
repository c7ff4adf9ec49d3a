import { z } from 'zod';
import { BudgetCaps } from './budget.ts';
import { CheckpointVerdict } from './checkpoint.ts';
import { ContentAddress } from './content-address.ts';
import { EscalationEvent } from './escalation.ts';
import { GateKind } from './gate.ts';
import { Goal } from './goal.ts';
import type { Address } from './hash.ts';
import type { LaneCall } from './lane-outcome.ts';
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

/** What stands where a run ended before there was any: it is said, never left out. */
export const NONE = 'none';
export type None = typeof NONE;

/** The task state after one verdict, and where the whole of it is kept. */
export interface StateCheckpoint {
  readonly checkpoint_id: string;
  /** What was judged; `none` for the last checkpoint of a run whose time ran out. */
  readonly judged: 'plan' | 'step' | 'run' | None;
  /** The step that was judged, or the last one that was. */
  readonly after_step: string | null;
  readonly verdict: CheckpointVerdict | null;
  readonly state_version: number;
  readonly node: string;
  readonly state: Address;
  readonly at: Instant;
}
export const StateCheckpoint: z.ZodType<StateCheckpoint> = z.strictObject({
  checkpoint_id: Name,
  judged: z.enum(['plan', 'step', 'run', NONE]),
  after_step: Name.nullable(),
  verdict: CheckpointVerdict.nullable(),
  state_version: z.int().nonnegative(),
  node: Name,
  state: ContentAddress,
  at: Instant,
});

/** One event of a journal: the hash of its frame, and its place in that frame. Whoever has the frame has the event. */
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
  /** Where what came back is on record, as it came. Null only where nothing ever did. */
  readonly observation: EventPointer | null;
  /** Present where its own answer was lost: whose word it is that it happened, and what it came to. */
  readonly said_by?: string;
  /** Present where the call opened a lane: its id, its run and its span, below which everything it did is recorded. */
  readonly lane?: LaneCall;
}
export const ToolCallTrace: z.ZodType<ToolCallTrace> = z.strictObject({
  tool: Name,
  args_hash: ContentAddress,
  request_id: Name,
  result_status: z.union([ToolOutcome, z.literal('in_doubt')]),
  observation: EventPointer.nullable(),
  said_by: Name.exactOptional(),
  lane: z.strictObject({ lane_id: Name, run_id: Name, span_id: Name }).exactOptional(),
});

export interface BudgetTrace {
  /** Null where the run ended before it had a budget. */
  readonly caps: BudgetCaps | null;
  readonly used: Readonly<Record<string, number>>;
}
export const BudgetTrace: z.ZodType<BudgetTrace> = z.strictObject({
  caps: BudgetCaps.nullable(),
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

/** A gate at which the run waited for a person. */
export interface GateRequest {
  readonly kind: 'gate';
  readonly gate_id: string;
  readonly name: string;
  readonly gate_kind: GateKind;
  readonly step_id: string | null;
  readonly packet_hash: string;
}

/** Authority over the run as a whole went to somebody else. */
export interface HandoverRequest {
  readonly kind: 'handover';
  readonly escalation: EscalationEvent;
  readonly packet_hash: string | null;
}

/** Something that only a person knew. */
export interface QuestionRequest {
  readonly kind: 'question';
  readonly question_id: string;
  readonly fields: readonly string[];
  readonly readings: readonly string[];
}

export type EscalationRequest = GateRequest | HandoverRequest | QuestionRequest;
export const EscalationRequest: z.ZodType<EscalationRequest> = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('gate'),
    gate_id: Name,
    name: Name,
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
]);

export const ESCALATION_OUTCOMES = ['open', 'continued', 'finalized', 'terminated', 'expired', 'withdrawn'] as const;

/** The request, what somebody decided, who, and how it ended. Where nobody decided, that is what it says. */
export interface EscalationTrace {
  readonly request: EscalationRequest;
  readonly requested_at: Instant;
  readonly decision: string;
  readonly approver: string;
  readonly outcome: (typeof ESCALATION_OUTCOMES)[number];
  /** Null while it is open. */
  readonly settled_at: Instant | null;
}
export const EscalationTrace: z.ZodType<EscalationTrace> = z.strictObject({
  request: EscalationRequest,
  requested_at: Instant,
  decision: Name,
  approver: Name,
  outcome: z.enum(ESCALATION_OUTCOMES),
  settled_at: Instant.nullable(),
});

/**
 * The whole path of a run that has ended. Fourteen fields; tenant and user scope are one of them, kept as two keys
 * because a tenant is what stores are divided by. A run that ended before it was pinned to anything says `none` for it.
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
export const RunTrace: z.ZodType<RunTrace> = z.strictObject({
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
