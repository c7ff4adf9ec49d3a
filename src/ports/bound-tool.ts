import type { Json, JsonObject } from '../model/json.ts';
import type { Problem } from '../model/problem.ts';
import type { ToolSpec } from '../model/tool.ts';
import type { ToolCredential } from './credentials.ts';
import type { ModelDesk, ModelUse } from './language-model.ts';
import type { Logger } from './log.ts';

/** What a tool's code is given beside its arguments. */
export interface ToolContext {
  /** The same for every dispatch of the same call. */
  readonly idempotencyKey: string;
  /** Aborted when the time of the call is up or the run is stopped. */
  readonly signal: AbortSignal;
  readonly runId: string;
  readonly stepId: string;
  readonly tenantId: string;
  /** Asks for the secrets of this tool, for this caller. They are struck out wherever the tool repeats them. */
  readonly credentials: () => Promise<ToolCredential['values']>;
  readonly log: Logger;
  /** Asks models, within what the call may cost; every request is on record with the call. */
  readonly models: ModelDesk;
}

/** A call that was made, as far as is known, for whoever looks at what it did or takes it back. */
export interface MadeCall {
  readonly args: JsonObject;
  readonly idempotencyKey: string;
  /** What it brought back; null where that is not known. */
  readonly result: Json;
}

/** How the arguments of a probe follow from the call it looks at, and what it must find. Both are pure. */
export interface ToolProbing {
  readonly verify?: { args(call: MadeCall): JsonObject; expect(args: JsonObject, found: Json): boolean };
  readonly reconcile?: { args(call: MadeCall): JsonObject };
  readonly compensate?: { args(call: MadeCall): JsonObject };
}

/** What a schema asks for beyond what JSON Schema can say. An empty list means that the value fits. */
export interface ToolChecks {
  input?(args: JsonObject): readonly Problem[];
  output?(result: Json): readonly Problem[];
}

type Answer = Json | undefined;

/** A tool of the registry and the code behind it. `execute` receives exactly the arguments that were cleared. */
export interface BoundTool {
  readonly spec: ToolSpec;
  execute(args: JsonObject, context: ToolContext): Promise<Answer> | Answer;
  readonly checks?: ToolChecks;
  readonly probing?: ToolProbing;
  /** The tools that `probing` names. They belong to the registry wherever this one does. */
  readonly companions?: readonly BoundTool[];
  /** The models that its code asks, as a planner names its own. */
  readonly uses?: readonly ModelUse[];
}
