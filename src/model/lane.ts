import { z } from 'zod';
import { ApprovalMode } from './approval-mode.ts';
import { BudgetCaps } from './budget.ts';
import type { Json } from './json.ts';
import { JsonValue } from './json-schema.ts';
import { Instant, Name, Text } from './name.ts';
import { Pointer } from './pointer.ts';
import { DEPTH_MAX } from './run-context.ts';
import { TerminalCode } from './terminal-code.ts';

export const LANE_STATUSES = ['completed', 'failed', 'expired', 'rejected', 'cancelled'] as const;
export type LaneStatus = (typeof LANE_STATUSES)[number];
export const LaneStatus: z.ZodType<LaneStatus> = z.enum(LANE_STATUSES);

/** What a registry says of a tool that is a lane: who works in it, with what, and how much that may take. */
export interface LaneSpec {
  readonly agent: string;
  /** The only tools it may use. Never one that its parent may not. */
  readonly tools: readonly string[];
  /** Set aside out of what its parent has left before it starts. */
  readonly caps: BudgetCaps;
  /** The kinds of evidence it is to bring back; each is one key of its answer. */
  readonly returns: readonly string[];
}
export const LaneSpec: z.ZodType<LaneSpec> = z.strictObject({
  agent: Name,
  tools: z.array(Name),
  caps: BudgetCaps,
  returns: z.array(Name),
});

/** A call that may have had its effect, as one run tells another that must not make it meanwhile. */
export interface LaneDoubt {
  readonly call: string;
  readonly key: string;
  readonly since: Instant;
  readonly until: Instant;
}
const LaneDoubt: z.ZodType<LaneDoubt> = z.strictObject({
  call: z.string().max(1_000),
  key: Name,
  since: z.int(),
  until: z.int(),
});

/**
 * The place a lane has below its parent, written into its first event. All of it follows from the call that opened it,
 * so whoever opens the lane again after a crash finds the same one.
 */
export interface LaneSeat {
  readonly lane_id: string;
  readonly run_id: string;
  readonly parent_run_id: string;
  readonly parent_call_id: string;
  /** 1 below a root. */
  readonly depth: number;
  readonly span_id: string;
  readonly parent_span_id: string;
  /** The lane tool of the parent, or, for a step that runs beside others, the tool of that step. */
  readonly tool: string;
  /** Who works in it, by the name it was declared with. */
  readonly agent: string;
  /** The agents on the way here, the root's first. None of them is asked to work for itself. */
  readonly path: readonly string[];
  readonly tools: readonly string[];
  /** Never beyond what the parent itself may set going. */
  readonly authority: ApprovalMode;
  readonly caps: BudgetCaps;
  /** The parent's own end: no lane outlives it. */
  readonly deadline: Instant;
  /** Present where outsiders may have had a hand in what the lane is asked to do. */
  readonly exposed?: true;
  /** Arguments of the call that come from sources nobody trusts, as JSON Pointers. */
  readonly untrusted?: readonly string[];
  /** Calls of the parent that are in doubt: as long as they are, the lane does not make them either. */
  readonly doubts?: readonly LaneDoubt[];
}
export const LaneSeat: z.ZodType<LaneSeat> = z.strictObject({
  lane_id: Name,
  run_id: Name,
  parent_run_id: Name,
  parent_call_id: Name,
  depth: z.int().positive().max(DEPTH_MAX),
  span_id: Name,
  parent_span_id: Name,
  tool: Name,
  agent: Name,
  path: z.array(Name).min(1),
  tools: z.array(Name),
  authority: ApprovalMode,
  caps: BudgetCaps,
  deadline: Instant,
  exposed: z.literal(true).exactOptional(),
  untrusted: z.array(Pointer).exactOptional(),
  doubts: z.array(LaneDoubt).exactOptional(),
});

/** What a lane would like its parent to take over. It becomes an effect only if the parent's Critic accepts it. */
export interface LaneResult {
  readonly key: string;
  readonly type: string;
  readonly value: Json;
  readonly evidence_refs: readonly string[];
  readonly trusted: boolean;
}
export const LaneResult: z.ZodType<LaneResult> = z.strictObject({
  key: Name,
  type: Name,
  value: JsonValue,
  evidence_refs: z.array(Name),
  trusted: z.boolean(),
});

/** The only thing a parent ever learns from a lane. */
export interface LaneEnvelope {
  readonly lane_id: string;
  readonly run_id: string;
  readonly parent_run_id: string;
  readonly span_id: string;
  readonly status: LaneStatus;
  readonly terminal_code: TerminalCode;
  readonly reason: string;
  readonly results: readonly LaneResult[];
  readonly transcripts: readonly string[];
  /** By counter of the budget. It is what the parent is charged. */
  readonly budget_used: Readonly<Record<string, number>>;
  readonly loop_guard_trips: number;
  /** Calls of the lane that may have had their effect, and nobody knows. Present only where there are some. */
  readonly doubts?: readonly LaneDoubt[];
}
export const LaneEnvelope: z.ZodType<LaneEnvelope> = z.strictObject({
  lane_id: Name,
  run_id: Name,
  parent_run_id: Name,
  span_id: Name,
  status: LaneStatus,
  terminal_code: TerminalCode,
  reason: Text,
  results: z.array(LaneResult),
  transcripts: z.array(Name),
  budget_used: z.record(Name, z.int().nonnegative()),
  loop_guard_trips: z.int().nonnegative(),
  doubts: z.array(LaneDoubt).exactOptional(),
});

/** A gate inside a lane. Whoever decides it is shown the packet of the lane itself, with the call it is about to make. */
export interface LaneGate {
  readonly gate_id: string;
  readonly name: string;
  readonly step_id: string | null;
  readonly packet_hash: string;
  readonly expires_at: Instant;
  /** The run that opened it: the lane, or one below it. */
  readonly run_id: string;
}
const LaneGate: z.ZodType<LaneGate> = z.strictObject({
  gate_id: Name,
  name: Name,
  step_id: Name.nullable(),
  packet_hash: Name,
  expires_at: Instant,
  run_id: Name,
});

/** What a lane waits for that only people can give. */
export interface LaneWait {
  readonly gates: readonly LaneGate[];
  /** Why it waits, where it is not a gate: a question, a handover, a pause. */
  readonly cause: 'gate' | 'question' | 'escalated' | 'paused';
}
export const LaneWait: z.ZodType<LaneWait> = z.strictObject({
  gates: z.array(LaneGate),
  cause: z.enum(['gate', 'question', 'escalated', 'paused']),
});

export const LANE_RULINGS = ['accepted', 'rejected', 'dropped'] as const;
export type LaneRuling = (typeof LANE_RULINGS)[number];

/** What became of a lane, in the record of its parent. */
export interface LaneNote {
  readonly lane_id: string;
  readonly run_id: string;
  readonly span_id: string;
  readonly step_id: string;
  readonly tool: string;
  readonly status: LaneStatus | 'unknown';
  readonly ruling: LaneRuling;
  readonly reason: string;
}
export const LaneNote: z.ZodType<LaneNote> = z.strictObject({
  lane_id: Name,
  run_id: Name,
  span_id: Name,
  step_id: Name,
  tool: Name,
  status: z.enum([...LANE_STATUSES, 'unknown']),
  ruling: z.enum(LANE_RULINGS),
  reason: Text,
});
