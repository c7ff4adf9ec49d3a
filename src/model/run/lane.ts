import { z } from 'zod';
import { BudgetCaps } from '../budget/budget.ts';
import { TerminalCode } from '../fault/terminal-code.ts';
import { ApprovalMode } from '../gate/approval-mode.ts';
import { GateProgress } from '../gate/gate-terms.ts';
import { exactObject, JsonValue } from '../json/exact.ts';
import type { Json } from '../json/json.ts';
import { Instant, Name, Text } from '../json/name.ts';
import { Pointer } from '../json/pointer.ts';

/** The root run has depth 0; lanes and sub-tasks may nest two levels below it. */
export const DEPTH_MAX = 2;

export const LANE_STATUSES = ['completed', 'failed', 'expired', 'rejected', 'cancelled'] as const;
export type LaneStatus = (typeof LANE_STATUSES)[number];
export const LaneStatus: z.ZodType<LaneStatus> = z.enum(LANE_STATUSES);

/** The registry entry of a lane: its agent, its tools and its budget. */
export interface LaneSpec {
  readonly agent: string;
  /** The only tools the lane may use, a subset of the parent's. */
  readonly tools: readonly string[];
  /** Reserved from the parent's remaining budget before the lane starts. */
  readonly caps: BudgetCaps;
  /** The types of evidence the lane returns; each is a key of its answer. */
  readonly returns: readonly string[];
}
export const LaneSpec: z.ZodType<LaneSpec> = exactObject({
  agent: Name,
  tools: z.array(Name),
  caps: BudgetCaps,
  returns: z.array(Name),
});

/** A call in doubt, reported to another run that must not repeat it meanwhile. */
export interface LaneDoubt {
  readonly call: string;
  readonly key: string;
  readonly since: Instant;
  readonly until: Instant;
  /** The tool that has the effect, if the call was made through a dispatcher. */
  readonly tool?: string;
}
const LaneDoubt: z.ZodType<LaneDoubt> = exactObject({
  call: z.string().max(1_000),
  key: Name,
  since: z.int(),
  until: z.int(),
  tool: Name.exactOptional(),
});

/**
 * The position of a lane below its parent, stored in its first event. It is derived from the call that opened the lane,
 * so that reopening after a crash yields the same lane.
 */
export interface LaneContext {
  readonly lane_id: string;
  readonly run_id: string;
  readonly parent_run_id: string;
  readonly parent_call_id: string;
  /** 1 for a child of the root run. */
  readonly depth: number;
  readonly span_id: string;
  readonly parent_span_id: string;
  /** The lane tool of the parent or, for a step that runs in parallel, the tool of that step. */
  readonly tool: string;
  /** The declared name of the agent in the lane. */
  readonly agent: string;
  /** The agents above this lane, the root's first. A lane must not use any of them again. */
  readonly path: readonly string[];
  readonly tools: readonly string[];
  /** Never stricter than the parent's own authority. */
  readonly authority: ApprovalMode;
  readonly caps: BudgetCaps;
  /** The parent's deadline; no lane outlives it. */
  readonly deadline: Instant;
  /** Present if untrusted sources may have influenced the lane's task. */
  readonly exposed?: true;
  /** JSON Pointers of the call's arguments from untrusted sources. */
  readonly untrusted?: readonly string[];
  /** The parent's calls in doubt. The lane must not repeat them while they are in doubt. */
  readonly doubts?: readonly LaneDoubt[];
}
export const LaneContext: z.ZodType<LaneContext> = exactObject({
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

/** The result a lane proposes to its parent. It takes effect only if the parent's Critic accepts it. */
export interface LaneResult {
  readonly key: string;
  readonly type: string;
  readonly value: Json;
  readonly evidence_refs: readonly string[];
  readonly trusted: boolean;
}
export const LaneResult: z.ZodType<LaneResult> = exactObject({
  key: Name,
  type: Name,
  value: JsonValue,
  evidence_refs: z.array(Name),
  trusted: z.boolean(),
});

/** The only information a parent receives from a lane. */
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
  /** Usage by budget counter, charged to the parent. */
  readonly budget_used: Readonly<Record<string, number>>;
  readonly loop_guard_trips: number;
  /** GPU time and people's decisions of the lane. Absent if there were none. */
  readonly metered?: { readonly gpu_ms: number; readonly human_reviews: number };
  /** Calls of the lane that may have had an effect. Absent if there are none. */
  readonly doubts?: readonly LaneDoubt[];
}
export const LaneEnvelope: z.ZodType<LaneEnvelope> = exactObject({
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
  metered: z.strictObject({ gpu_ms: z.int().nonnegative(), human_reviews: z.int().nonnegative() }).exactOptional(),
  doubts: z.array(LaneDoubt).exactOptional(),
});

/** A gate inside a lane. The decider sees the packet of the lane itself, with the call it is about to make. */
export interface LaneGate {
  readonly gate_id: string;
  readonly name: string;
  readonly step_id: string | null;
  readonly packet_hash: string;
  readonly expires_at: Instant;
  /** All gates of the call, `name` first, with their decisions. Absent if `name` is the only one. */
  readonly gates?: readonly GateProgress[];
  /** The run that opened the gate: the lane, or one below it. */
  readonly run_id: string;
}
const LaneGate: z.ZodType<LaneGate> = exactObject({
  gate_id: Name,
  name: Name,
  step_id: Name.nullable(),
  packet_hash: Name,
  expires_at: Instant,
  gates: z.array(GateProgress).exactOptional(),
  run_id: Name,
});

/** A lane that waits for a person. */
export interface LaneWait {
  readonly gates: readonly LaneGate[];
  /** The cause of the wait: a gate, a question, a handover or a pause. */
  readonly cause: 'gate' | 'question' | 'escalated' | 'paused';
}
export const LaneWait: z.ZodType<LaneWait> = exactObject({
  gates: z.array(LaneGate),
  cause: z.enum(['gate', 'question', 'escalated', 'paused']),
});

export const LANE_RULINGS = ['accepted', 'rejected', 'dropped'] as const;
export type LaneRuling = (typeof LANE_RULINGS)[number];

/** The state of a lane, as recorded by its parent. */
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
export const LaneNote: z.ZodType<LaneNote> = exactObject({
  lane_id: Name,
  run_id: Name,
  span_id: Name,
  step_id: Name,
  tool: Name,
  status: z.enum([...LANE_STATUSES, 'unknown']),
  ruling: z.enum(LANE_RULINGS),
  reason: Text,
});
