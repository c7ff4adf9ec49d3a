import type { Json, JsonObject } from '../model/json/json.ts';
import type { Problem } from '../model/json/problem.ts';
import type { StepInput } from '../model/tool/step-input.ts';
import type { ToolCall, ToolResult, ToolSpec } from '../model/tool/tool.ts';
import type { ToolCredential } from './credentials.ts';
import type { ModelClient, ModelUse } from './model/language-model.ts';
import type { FileAccess } from './workspace-files.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: JsonObject;
}

/** The receiver of log lines for operators. It must neither throw nor block. */
export type LogSink = (line: LogLine) => void;

/** The logger of a tool's code. Every line already names the run, the step and the tool. */
export type Logger = Readonly<Record<LogLevel, (message: string, fields?: JsonObject) => void>>;

/** The committed result of an earlier step, as a tool's code receives it. */
export interface ToolInput {
  readonly key: string;
  /** The evidence types that the result supplies: `produces` of the tool that returned it. */
  readonly types: readonly string[];
  /** The result, which fits the output schema of its tool. Sealed parts are handles. */
  readonly value: Json;
  readonly evidence: InputSource;
}

/** The origin of an input: its evidence, and the step and the tool behind it. */
interface InputSource {
  readonly id: string;
  readonly stepId: string;
  readonly tool: string;
  readonly trusted: boolean;
}

/** The second argument of a tool's code. */
export interface ToolContext {
  /** The same for every dispatch of the same call. */
  readonly idempotencyKey: string;
  /** Aborted when the call's time is up or the run is stopped. */
  readonly signal: AbortSignal;
  readonly runId: string;
  readonly stepId: string;
  /** The results of earlier steps that the plan names in `inputs` of this step; empty if it names none. */
  readonly inputs: readonly ToolInput[];
  readonly tenantId: string;
  /** The user for whom the run acts: `user.name` of the request. */
  readonly actor: string;
  /** Requests this tool's secrets for this caller. They are redacted from everything that the tool returns. */
  readonly credentials: () => Promise<ToolCredential['values']>;
  readonly log: Logger;
  /** The files of the workspace that the tool's rules name. Other tools have none. */
  readonly files: FileAccess;
  /** Asks models within the cost limit of the call. Every request is recorded with the call. */
  readonly models: ModelClient;
  /** Adds GPU time to the meter of the call. No cap applies; the cost of the run prices it. */
  readonly reportGpuMs: (ms: number) => void;
}

/** A call that was made, as input for a probe or a compensation. */
export interface MadeCall {
  readonly args: JsonObject;
  readonly idempotencyKey: string;
  /** The tool's result; null if unknown. */
  readonly result: Json;
}

/** Pure functions that derive a probe's arguments from the call and check its result. */
export interface ToolProbing {
  readonly verify?: { args(call: MadeCall): JsonObject; expect(args: JsonObject, found: Json): boolean };
  readonly reconcile?: { args(call: MadeCall): JsonObject };
  readonly compensate?: { args(call: MadeCall): JsonObject };
}

/** Checks of a tool's own schema that JSON Schema cannot express. An empty list means that the value is valid. */
export interface ToolChecks {
  input?(args: JsonObject): readonly Problem[];
  output?(result: Json): readonly Problem[];
}

type Answer = Json | undefined;

/** A registered tool with its code. `execute` receives exactly the arguments that were cleared. */
export interface BoundTool {
  readonly spec: ToolSpec;
  execute(args: JsonObject, context: ToolContext): Promise<Answer> | Answer;
  readonly checks?: ToolChecks;
  readonly probing?: ToolProbing;
  /** The tools that `probing` names. They are registered together with this tool. */
  readonly companions?: readonly BoundTool[];
  /** The models that its code asks, as in `Planner.uses`. */
  readonly uses?: readonly ModelUse[];
  /** The options that its author wrote; absent if all parts of `spec` were written. `explain` shows the others. */
  readonly stated?: readonly string[];
}

/** The identity in whose name a call is made. */
export interface Caller {
  readonly runId: string;
  readonly tenantId: string;
  readonly actor: string;
  /** The scopes that the tool requires and this caller holds. */
  readonly scopes: readonly string[];
  /** The handles of the run, whose values no answer may repeat. Absent without a vault. */
  readonly handles?: () => readonly string[];
}

export interface CallLimits {
  /** The results of earlier steps that the step names in `inputs`; absent if it names none. */
  readonly inputs?: readonly StepInput[] | undefined;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly caller: Caller;
  /** Lets the tool ask models within the cost limit of its call. */
  readonly models: ModelClient;
  /** Adds GPU time to the meter of the call. */
  reportGpuMs(ms: number): void;
}

/** The tools behind the gateway. A failure, a timeout and an empty answer are results, not exceptions. */
export interface Tools {
  call(call: ToolCall, limits: CallLimits): Promise<ToolResult>;
  /** Returns how to derive and check a tool's probes. Sends nothing. */
  probing?(tool: string): ToolProbing | undefined;
  /** Returns what the tool's own schema rejects in arguments that pass its JSON Schema. Sends nothing. */
  problems?(tool: string, args: JsonObject): readonly Problem[];
}
