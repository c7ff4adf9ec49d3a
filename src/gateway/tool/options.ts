import type { ApprovalMode } from '../../model/gate/approval-mode.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import type { Privacy } from '../../model/json/sealed.ts';
import type {
  Assertion,
  StandIn,
  ToolCategory,
  ToolCost,
  ToolExample,
  ToolNeed,
  ToolUnwrap,
} from '../../model/tool/tool.ts';
import type { BoundTool, ToolContext } from '../../ports/bound-tool.ts';
import type { Received, Returned, ToolSchema } from './standard-schema.ts';

/** A tool as `tool()` returns it. `types` exists for the compiler only. */
export interface Tool<Input = never, Output = unknown> extends BoundTool {
  readonly types?: { readonly input: Input; readonly output: Output };
}

export type ResultOf<T> = T extends { readonly types?: { readonly output: infer Output } } ? Output : Json;

/** A past call, in the types of its tool. */
export interface PastCall<Input, Output> {
  readonly args: Input;
  readonly idempotencyKey: string;
  /** Null if the result is unknown. */
  readonly result: Output | null;
}

type ArgumentsFrom<Input, Output> = (call: PastCall<Input, Output>) => JsonObject;

/** The effects of a call, and how they are verified, reconciled and compensated. */
export interface ToolEffects<Input, Output, Probe extends BoundTool> {
  readonly idempotency?: { readonly kind: 'key'; readonly retentionMs: number } | 'natural' | 'none';
  /** A read-only tool that is called after each success, and the expected finding. */
  readonly verify?: {
    readonly probe: Probe;
    readonly args?: ArgumentsFrom<Input, Output>;
    readonly expect: (input: Input, found: ResultOf<Probe>) => boolean;
  };
  /** A read-only tool that finds out whether a call without an answer happened. */
  readonly reconcile?: { readonly probe: BoundTool; readonly args?: ArgumentsFrom<Input, Output> };
  readonly compensate?: BoundTool | { readonly tool: BoundTool; readonly args: ArgumentsFrom<Input, Output> };
  /** Evidence types that a result supplies. */
  readonly produces?: readonly string[];
  /** Context types that the tool needs. A reactive run binds them to the latest results of these types. */
  readonly needs?: readonly ToolNeed[];
  /** Default: true for every mode except `read_only`. */
  readonly sideEffect?: boolean;
  /** Names of tools that answer the same question. */
  readonly equivalents?: readonly string[];
  /** The fallbacks while the tool is down, in order, and how long its last good answer may be reused. */
  readonly degraded?: { readonly order?: readonly StandIn[]; readonly cachedForMs?: number };
}

export interface ToolLimitOptions {
  readonly timeoutMs?: number;
  readonly retries?: number;
  readonly rate?: { readonly calls: number; readonly perMs: number };
  readonly concurrency?: number;
  readonly payloadMaxBytes?: number;
  /** How often a run may make the same call, such as polling. Default: 3. */
  readonly equalCalls?: number;
  /** Whether calls count against the budget of external API calls. Default: true for `network` and `delegated`. */
  readonly external?: boolean;
}

export interface ToolRisk {
  readonly category?: ToolCategory;
  readonly gates?: readonly string[];
  /** Whether results may influence later calls. Default: false. */
  readonly trusted?: boolean;
  /** The most that one call may cost. */
  readonly cost?: Partial<ToolCost>;
  readonly blastRadius?: string;
  readonly rollback?: string;
  /** JSON Pointers to arguments that refuse untrusted data. Default: all, unless the tool reads or writes locally. */
  readonly sensitive?: readonly string[];
  /**
   * The verbs with which a request orders a call of a `network` or `delegated` tool, such as `['send', 'log out']`. With
   * one of them the request itself may approve the call; without them it never does.
   */
  readonly requestWords?: readonly string[];
  readonly unwrap?: ToolUnwrap;
}

export interface ToolRules {
  /** The kind of action, as named in a risk profile. */
  readonly action?: string;
  /** The allowed values per argument. */
  readonly allow?: Readonly<Record<string, readonly Json[]>>;
  /** Settings of the category's checks. */
  readonly category?: JsonObject;
  /** Secret or personal values: those to seal in results and to unseal in arguments. `*` matches any key. */
  readonly privacy?: Privacy;
  /** JSON Pointers to lists in results that are whole, so that an answer may count and sum them. */
  readonly complete?: readonly string[];
  /** Values in results that are compared with the results of other tools. */
  readonly asserts?: readonly Assertion[];
}

export interface ToolOptions<
  In extends ToolSchema = ToolSchema,
  Out extends ToolSchema = ToolSchema,
  Probe extends BoundTool = BoundTool,
> {
  readonly name: string;
  readonly description: string;
  readonly version?: string;
  readonly approvalMode: ApprovalMode;
  readonly inputSchema: In;
  readonly outputSchema: Out;
  readonly execute: (input: Received<In>, context: ToolContext) => Answer<Returned<Out>>;
  readonly effects?: ToolEffects<Received<In>, Returned<Out>, Probe>;
  readonly limits?: ToolLimitOptions;
  readonly risk?: ToolRisk;
  readonly rules?: ToolRules;
  /**
   * The conditions of a boundary that a result answers, with JSON Pointers into it, such as
   * `{ account_holder: '/holder' }`. The declaration vouches for these fields, and for no other use of the result.
   */
  readonly conditions?: Readonly<Record<string, string>>;
  /**
   * The subject of these answers, if the governed call names it in another way: `{ order_id: '/order' }` says that the
   * argument `order_id` of such a call has to equal the field `order` of the result. `every_call` says that the answers
   * hold for every call of the run.
   */
  readonly about?: 'every_call' | Readonly<Record<string, string>>;
  /** A sentence about a result for answers that no model writes, with fields in braces: `You are on the {plan} plan.` */
  readonly say?: string;
  /** Example calls, for models that plan with the tool. */
  readonly examples?: readonly ToolExample[];
}

/** Undefined means an empty answer, not a success. */
type Answer<Output> = Promise<Output | undefined> | Output | undefined;

/** Options that have not been validated yet, despite their static type. */
export type AnyToolOptions = ToolOptions<ToolSchema, ToolSchema>;
