import type { ApprovalMode } from '../../model/approval-mode.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Privacy } from '../../model/sealed.ts';
import type {
  Assertion,
  StandIn,
  ToolCategory,
  ToolCost,
  ToolExample,
  ToolNeed,
  ToolUnwrap,
} from '../../model/tool.ts';
import type { BoundTool, ToolContext } from '../../ports/bound-tool.ts';
import type { Received, Returned, ToolSchema } from './standard-schema.ts';

/** A tool as `tool()` makes it. The types exist for the compiler only. */
export interface Tool<Input = never, Output = unknown> extends BoundTool {
  readonly types?: { readonly input: Input; readonly output: Output };
}

/** What the code of a tool gives back, as far as the compiler knows. */
export type ResultOf<T> = T extends { readonly types?: { readonly output: infer Output } } ? Output : Json;

/** A call that was made, in the types of its tool. */
export interface Made<Input, Output> {
  readonly args: Input;
  readonly idempotencyKey: string;
  /** Null where nobody knows what it brought back. */
  readonly result: Output | null;
}

type ArgumentsFrom<Input, Output> = (call: Made<Input, Output>) => JsonObject;

/** What a call does to the world, and how it is looked at, found again and taken back. */
export interface ToolEffects<Input, Output, Probe extends BoundTool> {
  readonly idempotency?: { readonly kind: 'key'; readonly retentionMs: number } | 'natural' | 'none';
  /** A read-only tool that is called after each success, and what it must find. */
  readonly verify?: {
    readonly probe: Probe;
    readonly args?: ArgumentsFrom<Input, Output>;
    readonly expect: (input: Input, found: ResultOf<Probe>) => boolean;
  };
  /** A read-only tool that says what became of a call nobody heard of again. */
  readonly reconcile?: { readonly probe: BoundTool; readonly args?: ArgumentsFrom<Input, Output> };
  readonly compensate?: BoundTool | { readonly tool: BoundTool; readonly args: ArgumentsFrom<Input, Output> };
  /** Evidence types that a result supplies. */
  readonly produces?: readonly string[];
  /** Context types that it works on. A run that decides step by step fills them in with what was brought last. */
  readonly needs?: readonly ToolNeed[];
  /** Anything but `read_only` is taken to change something, unless this says no. */
  readonly sideEffect?: boolean;
  /** Names of tools that answer the same question. */
  readonly equivalents?: readonly string[];
  /** What stands in while it is down: in which order, and for how long its last good answer may be given again. */
  readonly degraded?: { readonly order?: readonly StandIn[]; readonly cachedForMs?: number };
}

export interface ToolLimitOptions {
  readonly timeoutMs?: number;
  readonly retries?: number;
  readonly rate?: { readonly calls: number; readonly perMs: number };
  readonly concurrency?: number;
  readonly payloadMaxBytes?: number;
  /** Whether calls count against the budget of external API calls; `network` and `delegated` do unless told otherwise. */
  readonly external?: boolean;
}

export interface ToolRisk {
  readonly category?: ToolCategory;
  readonly gates?: readonly string[];
  /** Whether what it brings back may steer anything. Nothing is trusted that was not declared to be. */
  readonly trusted?: boolean;
  /** The most that one call may cost. */
  readonly cost?: Partial<ToolCost>;
  readonly blastRadius?: string;
  readonly rollback?: string;
  /** JSON Pointers to arguments that must not be steered from outside. Where nothing is said, all of them, unless the tool only reads or writes locally. */
  readonly sensitive?: readonly string[];
  readonly unwrap?: ToolUnwrap;
}

export interface ToolRules {
  /** The kind of action in the words of a risk profile. */
  readonly action?: string;
  /** Per argument, the only values permitted. */
  readonly allow?: Readonly<Record<string, readonly Json[]>>;
  /** Settings of the checks that the category brings. */
  readonly category?: JsonObject;
  /** What of it is secret or personal: sealed in what it brings back, and opened in what it is given. `*` is any key. */
  readonly privacy?: Privacy;
  /** What of its results is held against what other tools say. */
  readonly asserts?: readonly Assertion[];
}

export interface ToolOptions<In extends ToolSchema, Out extends ToolSchema, Probe extends BoundTool = BoundTool> {
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
  /** Calls as they are meant, for models that plan with the tool. */
  readonly examples?: readonly ToolExample[];
}

/** Nothing to give back is an empty answer, not a success. */
type Answer<Output> = Promise<Output | undefined> | Output | undefined;

/** Options as nobody has checked them yet, whatever the compiler was told. */
export type AnyToolOptions = ToolOptions<ToolSchema, ToolSchema>;
