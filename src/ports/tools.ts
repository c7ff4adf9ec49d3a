import type { JsonObject } from '../model/json.ts';
import type { Problem } from '../model/problem.ts';
import type { ToolCall, ToolResult } from '../model/tool.ts';
import type { ToolProbing } from './bound-tool.ts';
import type { ModelDesk } from './language-model.ts';

/** In whose name a call is made. */
export interface Caller {
  readonly runId: string;
  readonly tenantId: string;
  readonly actor: string;
  /** What the tool asks of whoever uses it, and this caller holds. */
  readonly scopes: readonly string[];
}

export interface CallLimits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly caller: Caller;
  /** Where the tool may ask models, within what its call may take. */
  readonly models: ModelDesk;
}

/** What stands behind the gateway. A failure, a timeout and an empty answer are results, not exceptions. */
export interface Tools {
  call(call: ToolCall, limits: CallLimits): Promise<ToolResult>;
  /** How the probes of a tool are asked and what they must find. Nothing is sent. */
  probing?(tool: string): ToolProbing | undefined;
  /** What the tool's own schema says about arguments that its JSON Schema lets pass. Nothing is sent. */
  problems?(tool: string, args: JsonObject): readonly Problem[];
}
