import { z } from 'zod';
import { ApprovalMode } from './approval-mode.ts';
import type { Json, JsonObject } from './json.ts';
import { JsonRecord, JsonValue } from './json-schema.ts';
import { LaneSpec } from './lane.ts';
import { Name, Statement, Text } from './name.ts';
import { Pointer } from './pointer.ts';
import { Privacy } from './sealed.ts';

/** The ten categories of the tool policy matrix; each brings its own checks and default approval policy. */
export const TOOL_CATEGORIES = [
  'read_only_lookup',
  'vector_retrieval',
  'live_api',
  'sandbox_code',
  'file_system',
  'database',
  'email_calendar',
  'payment',
  'infrastructure',
  'review_queue',
] as const;
export type ToolCategory = (typeof TOOL_CATEGORIES)[number];
export const ToolCategory: z.ZodType<ToolCategory> = z.enum(TOOL_CATEGORIES);

/** What a second dispatch of the same call does: absorbed by a key, harmless by nature, or a second effect. */
export type Idempotency =
  | { readonly kind: 'key'; readonly retention_ms: number }
  | { readonly kind: 'natural' }
  | { readonly kind: 'none' };
export const Idempotency: z.ZodType<Idempotency> = z.union([
  z.strictObject({ kind: z.literal('key'), retention_ms: z.int().positive() }),
  z.strictObject({ kind: z.literal('natural') }),
  z.strictObject({ kind: z.literal('none') }),
]);

/** The most that one call may cost; reserved before it is made. */
export interface ToolCost {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly microusd: number;
}
export const ToolCost: z.ZodType<ToolCost> = z.strictObject({
  input_tokens: z.int().nonnegative(),
  output_tokens: z.int().nonnegative(),
  microusd: z.int().nonnegative(),
});
export const NO_COST: ToolCost = Object.freeze({ input_tokens: 0, output_tokens: 0, microusd: 0 });

export const addCost = (a: ToolCost, b: ToolCost): ToolCost => ({
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  microusd: a.microusd + b.microusd,
});

/** The larger of each, for what may be taken by one or by the other. */
export const dearerCost = (a: ToolCost, b: ToolCost): ToolCost => ({
  input_tokens: Math.max(a.input_tokens, b.input_tokens),
  output_tokens: Math.max(a.output_tokens, b.output_tokens),
  microusd: Math.max(a.microusd, b.microusd),
});

/** How often, how many at once, and how much of an answer is kept in line; the rest goes to a blob. */
export interface ToolLimits {
  readonly rate?: { readonly calls: number; readonly per_ms: number };
  readonly concurrency?: number;
  readonly payload_max_bytes?: number;
}
const ToolLimits: z.ZodType<ToolLimits> = z.strictObject({
  rate: z.strictObject({ calls: z.int().positive(), per_ms: z.int().positive() }).exactOptional(),
  concurrency: z.int().positive().exactOptional(),
  payload_max_bytes: z.int().positive().exactOptional(),
});

/** What a person has to know before saying yes, and what must not be steered from outside. */
export interface ToolHazards {
  readonly blast_radius?: string;
  readonly rollback?: string;
  /** JSON Pointers into the arguments. Where nothing is said, all of them are sensitive in a call that leaves the run. */
  readonly sensitive?: readonly string[];
  /** The kind of action in the words of a risk profile. */
  readonly action?: string;
}
const ToolHazards: z.ZodType<ToolHazards> = z.strictObject({
  blast_radius: Statement.exactOptional(),
  rollback: Statement.exactOptional(),
  sensitive: z.array(Pointer).exactOptional(),
  action: Name.exactOptional(),
});

/** Names of tools: read-only ones that look at what a call did, and one that takes it back. */
export interface ToolProbes {
  readonly verify?: string;
  readonly reconcile?: string;
  readonly compensate?: string;
}
const ToolProbes: z.ZodType<ToolProbes> = z.strictObject({
  verify: Name.exactOptional(),
  reconcile: Name.exactOptional(),
  compensate: Name.exactOptional(),
});

/** What may stand in for a tool that only looks and is not there. */
export const STAND_INS = ['equivalent', 'cached'] as const;
export type StandIn = (typeof STAND_INS)[number];

/** The order in which stand-ins are tried, and for how long the last good answer to the same question may be given again. */
export interface ToolDegraded {
  readonly order?: readonly StandIn[];
  readonly cached_for_ms?: number;
}
const ToolDegraded: z.ZodType<ToolDegraded> = z.strictObject({
  order: z.array(z.enum(STAND_INS)).max(STAND_INS.length).exactOptional(),
  cached_for_ms: z.int().positive().max(86_400_000).exactOptional(),
});

/** Where in the arguments of a dispatcher the name and the arguments of the tool it really calls stand. */
export interface ToolUnwrap {
  readonly tool: string;
  readonly args: string;
}
const ToolUnwrap: z.ZodType<ToolUnwrap> = z.strictObject({ tool: Pointer, args: Pointer });

/**
 * What an answer of a tool says about something of which others may say it too. Declare what two sources must agree on,
 * and nothing that the run itself changes: when it was looked up, how often, or a balance between two payments.
 */
export interface Assertion {
  /** The evidence type that it is about; one of those the tool produces. */
  readonly type: string;
  /** Where the arguments say what is looked at: a JSON Pointer; the empty one if all of them say it. */
  readonly subject: string;
  /** What it says, by the name that every source has for it, and where in this tool's answer: JSON Pointers. */
  readonly values: Readonly<Record<string, string>>;
}
const Assertion: z.ZodType<Assertion> = z.strictObject({
  type: Name,
  subject: Pointer,
  values: z.record(Name, Pointer),
});

/** A call as it is meant, for whoever plans with the tool. */
export interface ToolExample {
  /** What it is an example of. */
  readonly use: string;
  /** Arguments; where an earlier step would supply one, a binding. */
  readonly params: JsonObject;
}
const ToolExample: z.ZodType<ToolExample> = z.strictObject({ use: Statement, params: JsonRecord });

/** A context type that a tool works on: its name, or a tuple that its name leads and in which the rest is a remark. */
export type ToolNeed = string | readonly [type: string, ...remarks: readonly string[]];
const ToolNeed: z.ZodType<ToolNeed> = z.union([Name, z.tuple([Name], Name)]);

/** Both spellings mean the same type. */
export const needOf = (need: ToolNeed): string => (typeof need === 'string' ? need : need[0]);

/** A tool as the registry snapshot knows it: data only, no code. Schemas are JSON Schema. */
export interface ToolSpec {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** A tool that changes anything is at least `local_write`. */
  readonly approval_mode: ApprovalMode;
  readonly category: ToolCategory;
  readonly input_schema: JsonObject;
  readonly output_schema: JsonObject;
  readonly active: boolean;
  /** Counts against the external API budget. */
  readonly external: boolean;
  /** Changes something outside the run; counts against the side-effect budget. */
  readonly side_effect: boolean;
  readonly trusted: boolean;
  readonly gates: readonly string[];
  /** Evidence types that a committed result of this tool supplies. */
  readonly produces: readonly string[];
  /** What of that is held against what other tools say. */
  readonly asserts?: readonly Assertion[];
  /** Present where it handles what is kept sealed. */
  readonly privacy?: Privacy;
  /** Context types that the reactive mode fills in from state. */
  readonly needs: readonly ToolNeed[];
  readonly idempotency: Idempotency;
  readonly timeout_ms: number;
  readonly retries_max: number;
  readonly cost: ToolCost;
  /** Per argument name, the only values permitted. An argument that is not listed is free within its schema. */
  readonly argument_allow?: Readonly<Record<string, readonly Json[]>>;
  /** Tools that answer the same question, for when this one cannot. */
  readonly equivalents?: readonly string[];
  /** What is done about it being down. A tool that says so, and for which nothing stands in, ends the run. */
  readonly degraded?: ToolDegraded;
  readonly limits?: ToolLimits;
  readonly hazards?: ToolHazards;
  readonly probes?: ToolProbes;
  readonly unwrap?: ToolUnwrap;
  /** Present where the tool is a lane: another agent does the work, in a run of its own below this one. */
  readonly lane?: LaneSpec;
  /** For planners; nothing is checked by them. */
  readonly examples?: readonly ToolExample[];
  /** The two capabilities that end a plan, which every planner may use: they say or ask, and do nothing else. */
  readonly speaks?: 'respond' | 'clarify';
  /** Settings of the checks that its category brings, such as permitted paths or statements. */
  readonly rules?: JsonObject;
  /** Where the tool comes from, if not from the host's own code: `mcp:<server>`, `ai-sdk`. */
  readonly source?: string;
  /**
   * How much of what an imported tool says of itself the host answers for. Planners are shown no more than that: by
   * default only the name and the bare shape of a tool that is not trusted.
   */
  readonly vouched?: 'description' | 'all';
}
const ToolFields: z.ZodType<ToolSpec> = z.strictObject({
  name: Name,
  version: Name,
  description: Text,
  approval_mode: ApprovalMode,
  category: ToolCategory,
  input_schema: JsonRecord,
  output_schema: JsonRecord,
  active: z.boolean(),
  external: z.boolean(),
  side_effect: z.boolean(),
  trusted: z.boolean(),
  gates: z.array(Name),
  produces: z.array(Name),
  asserts: z.array(Assertion).max(100).exactOptional(),
  privacy: Privacy.exactOptional(),
  needs: z.array(ToolNeed),
  idempotency: Idempotency,
  timeout_ms: z.int().positive().max(86_400_000),
  retries_max: z.int().nonnegative().max(100),
  cost: ToolCost,
  argument_allow: z.record(z.string(), z.array(JsonValue)).exactOptional(),
  equivalents: z.array(Name).exactOptional(),
  degraded: ToolDegraded.exactOptional(),
  limits: ToolLimits.exactOptional(),
  hazards: ToolHazards.exactOptional(),
  probes: ToolProbes.exactOptional(),
  unwrap: ToolUnwrap.exactOptional(),
  lane: LaneSpec.exactOptional(),
  examples: z.array(ToolExample).max(20).exactOptional(),
  speaks: z.enum(['respond', 'clarify']).exactOptional(),
  rules: JsonRecord.exactOptional(),
  source: Name.exactOptional(),
  vouched: z.enum(['description', 'all']).exactOptional(),
});
const DEGRADED_READS = {
  message: 'is for a tool that only looks itself: nothing stands in for a change, or for what a dispatcher passes on',
  path: ['degraded'],
};
export const ToolSpec: z.ZodType<ToolSpec> = ToolFields.refine(
  ({ side_effect, approval_mode }) => !side_effect || approval_mode !== 'read_only',
  {
    message: 'is read_only, yet the tool has a side effect: use local_write or a stricter mode, or side_effect: false',
    path: ['approval_mode'],
  },
)
  .refine(({ degraded, side_effect, approval_mode, unwrap }) => {
    const onlyLooks = !side_effect && approval_mode === 'read_only' && unwrap === undefined;
    return degraded === undefined || onlyLooks;
  }, DEGRADED_READS)
  .refine(({ asserts = [], produces }) => asserts.every(({ type }) => produces.includes(type)), {
    message: 'may only be about evidence types that the tool produces',
    path: ['asserts'],
  });

/** The tools a run was started with. `version` is the content address of `tools`. */
export interface ToolRegistry {
  readonly version: string;
  readonly tools: readonly ToolSpec[];
}
export const ToolRegistry: z.ZodType<ToolRegistry> = z.strictObject({
  version: Name,
  tools: z.array(ToolSpec),
});

/** What crosses the gateway on the way out. */
export interface ToolCall {
  readonly call_id: string;
  readonly step_id: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly args_hash: string;
  readonly idempotency_key: string;
  readonly attempt: number;
}
export const ToolCall: z.ZodType<ToolCall> = z.strictObject({
  call_id: Name,
  step_id: Name,
  tool: Name,
  args: JsonRecord,
  args_hash: Name,
  idempotency_key: Name,
  attempt: z.int().positive(),
});

/**
 * How a call came back. Only `ok` carries a value; each other word is a failure recorded as what it was. `denied` is a
 * caller that may not, `expired` one that might and has nothing to prove it with any more.
 */
export const TOOL_OUTCOMES = [
  'ok',
  'error',
  'timeout',
  'denied',
  'expired',
  'malformed',
  'empty',
  'cancelled',
] as const;
export type ToolOutcome = (typeof TOOL_OUTCOMES)[number];
export const ToolOutcome: z.ZodType<ToolOutcome> = z.enum(TOOL_OUTCOMES);

/** What crosses the gateway on the way back. `raw` is kept as returned. */
export interface ToolResult {
  readonly call_id: string;
  readonly outcome: ToolOutcome;
  readonly raw: Json;
  readonly detail?: string;
  readonly spent: ToolCost;
}
export const ToolResult: z.ZodType<ToolResult> = z.strictObject({
  call_id: Name,
  outcome: ToolOutcome,
  raw: JsonValue,
  detail: Text.exactOptional(),
  spent: ToolCost,
});
