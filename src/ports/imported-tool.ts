import type { Json, JsonObject } from '../model/json.ts';
import type { ToolSpec } from '../model/tool.ts';

/** What the code of a tool from outside is given beside its arguments. */
export interface ImportedCall {
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  readonly stepId: string;
}

/** A tool that somebody else wrote, as an adapter hands it over: its entry in the registry and the way to call it. */
export interface ImportedTool {
  readonly spec: ToolSpec;
  execute(args: JsonObject, call: ImportedCall): Promise<Json | undefined>;
}
