import type { ToolCall, ToolResult } from '../model/tool.ts';

export interface CallLimits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** What stands behind the gateway. A failure, a timeout and an empty answer are results, not exceptions. */
export interface Tools {
  call(call: ToolCall, limits: CallLimits): Promise<ToolResult>;
}
