import { z } from 'zod';
import { ApprovalMode } from '../gate/approval-mode.ts';
import { exact, exactObject, JsonRecord, JsonValue } from '../json/exact.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { Name, Statement, Text } from '../json/name.ts';
import { Pointer } from '../json/pointer.ts';
import { Privacy } from '../json/sealed.ts';
import { LaneSpec } from '../run/lane.ts';

/** The ten categories of the tool policy matrix. Each brings its own checks and default approval policy. */
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

/** The effect of dispatching the same call twice: deduplicated by a key, harmless by nature, or a second effect. */
export type Idempotency =
  | { readonly kind: 'key'; readonly retention_ms: number }
  | { readonly kind: 'natural' }
  | { readonly kind: 'none' };
export const Idempotency: z.ZodType<Idempotency> = exact(
  z.union([
    z.strictObject({ kind: z.literal('key'), retention_ms: z.int().positive() }),
    z.strictObject({ kind: z.literal('natural') }),
    z.strictObject({ kind: z.literal('none') }),
  ]),
);

/** The maximum cost of one call, reserved before the call is made. */
export interface ToolCost {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly microusd: number;
}
export const ToolCost: z.ZodType<ToolCost> = exactObject({
  input_tokens: z.int().nonnegative(),
  output_tokens: z.int().nonnegative(),
  microusd: z.int().nonnegative(),
});
export const NO_COST: ToolCost = Object.freeze({ input_tokens: 0, output_tokens: 0, microusd: 0 });

/** The actual cost of one call. GPU time is metered for reports and has no cap. */
export interface CallSpent extends ToolCost {
  /** Absent if the tool reported none. */
  readonly gpu_ms?: number;
}
export const CallSpent: z.ZodType<CallSpent> = exactObject({
  input_tokens: z.int().nonnegative(),
  output_tokens: z.int().nonnegative(),
  microusd: z.int().nonnegative(),
  gpu_ms: z.int().positive().exactOptional(),
});

export const addCost = (a: ToolCost, b: ToolCost): ToolCost => ({
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  microusd: a.microusd + b.microusd,
});

/** The maximum of each cost, for work that one of two tools may do. */
export const higherCost = (a: ToolCost, b: ToolCost): ToolCost => ({
  input_tokens: Math.max(a.input_tokens, b.input_tokens),
  output_tokens: Math.max(a.output_tokens, b.output_tokens),
  microusd: Math.max(a.microusd, b.microusd),
});

/** Rate, concurrency, and the inline size of an answer; larger answers go to a blob. */
export interface ToolLimits {
  readonly rate?: { readonly calls: number; readonly per_ms: number };
  readonly concurrency?: number;
  readonly payload_max_bytes?: number;
  /** The equal calls that a run may make, if repeating one is no loop; otherwise the limit of the loop guard. */
  readonly equal_calls?: number;
}
const ToolLimits: z.ZodType<ToolLimits> = exactObject({
  rate: z.strictObject({ calls: z.int().positive(), per_ms: z.int().positive() }).exactOptional(),
  concurrency: z.int().positive().exactOptional(),
  payload_max_bytes: z.int().positive().exactOptional(),
  equal_calls: z.int().positive().exactOptional(),
});

/** The risks an approver has to know, and the arguments that untrusted sources must not control. */
export interface ToolHazards {
  readonly blast_radius?: string;
  readonly rollback?: string;
  /** JSON Pointers into the arguments. If absent, all arguments are sensitive in a call that leaves the run. */
  readonly sensitive?: readonly string[];
  /** The kind of action, as named in risk profiles. */
  readonly action?: string;
  /** The verbs with which a request orders a call: `['send', 'log out']`. Without them no request grants one. */
  readonly request_words?: readonly string[];
}
const ToolHazards: z.ZodType<ToolHazards> = exactObject({
  blast_radius: Statement.exactOptional(),
  rollback: Statement.exactOptional(),
  sensitive: z.array(Pointer).exactOptional(),
  action: Name.exactOptional(),
  request_words: z.array(Statement).max(50).exactOptional(),
});

/** Names of related tools: read-only ones that check the effect of a call, and one that undoes it. */
export interface ToolProbes {
  readonly verify?: string;
  readonly reconcile?: string;
  readonly compensate?: string;
}
const ToolProbes: z.ZodType<ToolProbes> = exactObject({
  verify: Name.exactOptional(),
  reconcile: Name.exactOptional(),
  compensate: Name.exactOptional(),
});

/** The stand-ins for a read-only tool that is unavailable. */
export const STAND_INS = ['equivalent', 'cached'] as const;
export type StandIn = (typeof STAND_INS)[number];

/** The order in which stand-ins are tried, and the maximum age of a cached answer. */
export interface ToolDegraded {
  readonly order?: readonly StandIn[];
  readonly cached_for_ms?: number;
}
const ToolDegraded: z.ZodType<ToolDegraded> = exactObject({
  order: z.array(z.enum(STAND_INS)).max(STAND_INS.length).exactOptional(),
  cached_for_ms: z.int().positive().max(86_400_000).exactOptional(),
});

/** How a dispatcher states the call that it makes: JSON Pointers to the name of the tool and to its arguments. */
export interface ToolUnwrap {
  readonly tool: string;
  readonly args: string;
  /** The arguments are JSON text. Absent if they are an object. */
  readonly encoding?: 'json';
  /** A call without arguments leaves them out. Without this it is refused. */
  readonly optional?: true;
}
export const ToolUnwrap: z.ZodType<ToolUnwrap> = exactObject({
  tool: Pointer,
  args: Pointer,
  encoding: z.literal('json').exactOptional(),
  optional: z.literal(true).exactOptional(),
});

/**
 * A statement in a tool's answer that is compared with the same statement of other tools. Declare only values on which
 * two sources must agree, and none that the run itself changes, such as a lookup time, a counter or a balance between
 * two payments.
 */
export interface Assertion {
  /** The evidence type of the statement; the tool must produce it. */
  readonly type: string;
  /** JSON Pointer to the subject in the arguments; empty if all arguments together are the subject. */
  readonly subject: string;
  /** JSON Pointers into this tool's answer, by the name that all sources share. */
  readonly values: Readonly<Record<string, string>>;
}
const Assertion: z.ZodType<Assertion> = exactObject({
  type: Name,
  subject: Pointer,
  values: z.record(Name, Pointer),
});

/** An example call, for planners. */
export interface ToolExample {
  /** The purpose of the example. */
  readonly use: string;
  /** Arguments, with a binding for each value that an earlier step supplies. */
  readonly params: JsonObject;
}
const ToolExample: z.ZodType<ToolExample> = exactObject({ use: Statement, params: JsonRecord });

/** How results of a tool appear in answers. */
export interface ToolAnswers {
  /** A sentence about a result, with fields in braces: `You are on the {plan} plan.` */
  readonly say?: string;
  /** JSON Pointers to the lists of a result that are whole, so that an answer may count them. */
  readonly complete?: readonly string[];
}
const ToolAnswers: z.ZodType<ToolAnswers> = exactObject({
  say: Statement.exactOptional(),
  complete: z.array(Pointer).max(100).exactOptional(),
});

/** A context type the tool works on: its name, or a tuple of the name and remarks. */
export type ToolNeed = string | readonly [type: string, ...remarks: readonly string[]];
const ToolNeed: z.ZodType<ToolNeed> = exact(z.union([Name, z.tuple([Name], Name)]));

/** Returns the type name from either notation. */
export const needOf = (need: ToolNeed): string => (typeof need === 'string' ? need : need[0]);

/** A tool in the registry snapshot: data only, no code. Schemas are JSON Schema. */
export interface ToolSpec {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** At least `local_write` for a tool with a side effect. */
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
  /** JSON Pointers into the result, by the condition of a boundary that they answer, such as `account_holder`. */
  readonly conditions?: Readonly<Record<string, string>>;
  /**
   * The subject of these answers, if it has another name than in the governed calls: by argument name of such a call,
   * the JSON Pointer into the result; or every call.
   */
  readonly about?: 'every_call' | Readonly<Record<string, string>>;
  /** The statements that are compared with those of other tools. */
  readonly asserts?: readonly Assertion[];
  /** Present if the tool handles sealed values. */
  readonly privacy?: Privacy;
  /** Context types that the reactive mode fills in from state. */
  readonly needs: readonly ToolNeed[];
  readonly idempotency: Idempotency;
  readonly timeout_ms: number;
  readonly retries_max: number;
  readonly cost: ToolCost;
  /** Permitted values by argument name. An unlisted argument is limited by its schema only. */
  readonly argument_allow?: Readonly<Record<string, readonly Json[]>>;
  /** Tools that answer the same question, used when this one is unavailable. */
  readonly equivalents?: readonly string[];
  /** Stand-ins for when the tool is down. If none answers, the run ends, unless the step is optional. */
  readonly degraded?: ToolDegraded;
  readonly limits?: ToolLimits;
  readonly hazards?: ToolHazards;
  readonly probes?: ToolProbes;
  readonly unwrap?: ToolUnwrap;
  /** Present if the tool is a lane: another agent does the work in a child run. */
  readonly lane?: LaneSpec;
  readonly answers?: ToolAnswers;
  /** For planners; no check uses them. */
  readonly examples?: readonly ToolExample[];
  /** Marks the two capabilities that end a plan with an answer or a question. Every planner may use them. */
  readonly speaks?: 'respond' | 'clarify';
  /** Settings of the category's checks, such as permitted paths or statements. */
  readonly rules?: JsonObject;
  /** The source of an imported tool: `mcp:<server>` or `ai-sdk`. Absent for the host's own tools. */
  readonly source?: string;
  /**
   * The parts of an imported tool's self-description that the host vouches for. Planners see only these; of an
   * untrusted tool they see by default only the name and the bare schema.
   */
  readonly vouched?: 'description' | 'all';
}
const ToolFields: z.ZodType<ToolSpec> = exactObject({
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
  conditions: z.record(Name, Pointer).exactOptional(),
  about: z.union([z.literal('every_call'), z.record(Name, Pointer)]).exactOptional(),
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
  answers: ToolAnswers.exactOptional(),
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
  .refine(({ about, conditions }) => about === undefined || conditions !== undefined, {
    message: 'names the subject of answers to conditions: declare conditions too',
    path: ['about'],
  })
  .refine(({ asserts = [], produces }) => asserts.every(({ type }) => produces.includes(type)), {
    message: 'may only be about evidence types that the tool produces',
    path: ['asserts'],
  });

/** The tools a run was started with. `version` is the content address of `tools`. */
export interface ToolRegistry {
  readonly version: string;
  readonly tools: readonly ToolSpec[];
}
export const ToolRegistry: z.ZodType<ToolRegistry> = exactObject({
  version: Name,
  tools: z.array(ToolSpec),
});

/** A call as the gateway sends it. */
export interface ToolCall {
  readonly call_id: string;
  readonly step_id: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** The hash of the arguments and the values of the inputs. */
  readonly args_hash: string;
  readonly idempotency_key: string;
  readonly attempt: number;
  /** The evidence behind the inputs, by context key; absent for a call without inputs. */
  readonly inputs?: Readonly<Record<string, string>>;
}
export const ToolCall: z.ZodType<ToolCall> = exactObject({
  call_id: Name,
  step_id: Name,
  tool: Name,
  args: JsonRecord,
  args_hash: Name,
  idempotency_key: Name,
  attempt: z.int().positive(),
  inputs: z.record(Name, Name).exactOptional(),
});

/**
 * The outcomes of a call. Only `ok` carries a value. `denied`: the caller lacks permission. `expired`: the caller's
 * credentials have expired.
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

/** The answer as the gateway returns it. `raw` is unaltered. */
export interface ToolResult {
  readonly call_id: string;
  readonly outcome: ToolOutcome;
  readonly raw: Json;
  readonly detail?: string;
  readonly spent: ToolCost;
}
export const ToolResult: z.ZodType<ToolResult> = exactObject({
  call_id: Name,
  outcome: ToolOutcome,
  raw: JsonValue,
  detail: Text.exactOptional(),
  spent: ToolCost,
});
