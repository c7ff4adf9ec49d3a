import { randomUUID } from 'node:crypto';
import { type CallToolResult, fromJsonSchema, type McpServer } from '@modelcontextprotocol/server';
import { Fault } from '../../model/fault.ts';
import type { JsonObject } from '../../model/json.ts';
import { reasonOf } from '../../model/printable.ts';
import type { BoundTool, ToolContext } from '../../ports/bound-tool.ts';
import { NO_MODELS } from '../../ports/language-model.ts';

/** A tool is served as it is only if it cannot change anything and nobody would have to be asked about it. */
export function assertServable(tools: readonly BoundTool[]): void {
  for (const { spec } of tools) {
    if (spec.approval_mode === 'read_only' && !spec.side_effect && spec.gates.length === 0) continue;
    const message = `${spec.name} is ${spec.approval_mode} and can only be reached through a run: serve "invoke" for it`;
    throw new Fault('input_invalid', message, { path: '/tools' });
  }
}

/** Read-only tools, called outside any run: their schema is checked, their time is bounded, nothing is recorded. */
export function registerTools(server: McpServer, tools: readonly BoundTool[]): void {
  for (const { spec, execute } of tools) {
    const config = {
      description: spec.description,
      inputSchema: fromJsonSchema<JsonObject>({ ...spec.input_schema }),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: spec.external },
    };
    server.registerTool(spec.name, config, async (args, { mcpReq }) =>
      answered(async () => {
        const signal = AbortSignal.any([mcpReq.signal, AbortSignal.timeout(spec.timeout_ms)]);
        return { result: (await execute(args, outsideRuns(signal))) ?? null };
      }),
    );
  }
}

/** Faults are answers with their code; of anything else only that it happened. */
export async function answered(work: () => Promise<object>): Promise<CallToolResult> {
  try {
    const structured = await work();
    return { content: [{ type: 'text', text: JSON.stringify(structured) }], structuredContent: { ...structured } };
  } catch (error) {
    const text = Fault.is(error) ? `${error.code}: ${reasonOf(error)}` : 'internal: it failed, and the host knows why';
    return { isError: true, content: [{ type: 'text', text }] };
  }
}

function outsideRuns(signal: AbortSignal): ToolContext {
  const none = (): void => undefined;
  return {
    idempotencyKey: randomUUID(),
    signal,
    runId: 'outside_runs',
    stepId: 'outside_runs',
    tenantId: 'outside_runs',
    credentials: () => Promise.reject(new Fault('permission_denied', 'outside a run there are no credentials')),
    log: { debug: none, info: none, warn: none, error: none },
    models: NO_MODELS,
  };
}
