import { deepFreeze } from '../model/freeze.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { NO_COST, type ToolCall, type ToolResult, type ToolSpec } from '../model/tool.ts';
import type { Tools } from '../ports/tools.ts';

/** What a tool's code is given beside its arguments. */
export interface ToolContext {
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  readonly stepId: string;
}

/** A tool of the registry and the code behind it. `execute` receives exactly the arguments that were cleared. */
export interface BoundTool {
  readonly spec: ToolSpec;
  execute(args: JsonObject, context: ToolContext): Promise<Json | undefined> | Json | undefined;
}

/** Code in this process, behind the gateway's port. Nothing to return is an empty answer, not a success. */
export function boundTools(tools: readonly BoundTool[]): Tools {
  const byName = new Map(tools.map((tool) => [tool.spec.name, tool]));
  return {
    call: async (call, { signal }) => {
      const tool = byName.get(call.tool);
      if (tool === undefined) return failed(call, `there is no code behind ${call.tool}`);
      const raw = await tool.execute(deepFreeze(call.args), {
        idempotencyKey: call.idempotency_key,
        signal,
        stepId: call.step_id,
      });
      if (raw === undefined || raw === null)
        return { call_id: call.call_id, outcome: 'empty', raw: null, spent: NO_COST };
      return { call_id: call.call_id, outcome: 'ok', raw, spent: NO_COST };
    },
  };
}

function failed(call: ToolCall, detail: string): ToolResult {
  return { call_id: call.call_id, outcome: 'error', raw: null, detail, spent: NO_COST };
}
