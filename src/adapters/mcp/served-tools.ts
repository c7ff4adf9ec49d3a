import { type CallToolResult, fromJsonSchema, type McpServer } from '@modelcontextprotocol/server';
import { Fault } from '../../model/fault/fault.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json/json.ts';
import { reasonOf } from '../../model/json/printable.ts';
import { storedAt } from '../../model/json/stored-answer.ts';
import { takeJson } from '../../model/json/take-json.ts';
import type { BoundTool } from '../../ports/bound-tool.ts';
import type { BoundedWork, WorkOutcome } from './bounded-work.ts';
import { type ClientContext, remember } from './to-mcp-options.ts';

/** Rejects tools that change something or need approval: they cannot be served by name. */
export function assertServable(tools: readonly BoundTool[]): void {
  for (const { spec } of tools) {
    if (spec.approval_mode === 'read_only' && !spec.side_effect && spec.gates.length === 0) continue;
    const message = `${spec.name} is ${spec.approval_mode} and can only be reached through a run: serve "invoke" for it`;
    throw new Fault('input_invalid', message, { path: '/tools' });
  }
}

/** Serves read-only tools by name. Each call is a recorded run with one step, checked by every layer. */
export function registerTools(server: McpServer, context: ClientContext, tools: readonly BoundTool[]): void {
  for (const { spec } of tools) {
    const config = {
      description: spec.description,
      inputSchema: fromJsonSchema<JsonObject>({ ...spec.input_schema }),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: spec.external },
    };
    server.registerTool(spec.name, config, async (args) => toToolResult(() => callTool(context, spec.name, args)));
  }
}

async function callTool(context: ClientContext, tool: string, input: JsonObject): Promise<object> {
  const { work, caller, started, options } = context;
  const args = takeJson(input) as JsonObject;
  const request = takeJson(options.request({ goal: `Call ${tool}`, tool }, caller));
  if (!isJsonObject(request)) throw new Fault('envelope_invalid', 'the host made no request of the call');
  const outcome = await work.invoke({ ...request, call: { tool, args } });
  remember(started, outcome.runId, caller);
  if (outcome.terminalCode !== 'SUCCESS') throw refused(outcome);
  return { run_id: outcome.runId, result: await resultOf(work, outcome.runId) };
}

/** Returns the tool's result, from the transcript or from the stored document it refers to. */
async function resultOf(work: BoundedWork, runId: string): Promise<Json> {
  const raw =
    (await work.records.transcripts(runId)).findLast(({ result }) => result.outcome === 'ok')?.result.raw ?? null;
  const address = storedAt(raw);
  return address === null ? raw : (JSON.parse(await work.records.document(runId, address)) as Json);
}

/** Explains a missing result: how the run ended and why, or which gate it waits at. */
function refused({ runId, status, terminalCode, reason, why, pending }: WorkOutcome): Fault {
  const waits = pending.map(({ name }) => `it waits at ${name}`);
  const parts = [terminalCode ?? status, reason ?? '', ...why, ...waits].filter((part) => part !== '');
  return new Fault('tool_failed', `${parts.join(': ')} (${runId})`);
}

/** Returns a Fault with its code as an error result. Other errors are not described to the client. */
export async function toToolResult(work: () => Promise<object>): Promise<CallToolResult> {
  try {
    const structured = await work();
    return { content: [{ type: 'text', text: JSON.stringify(structured) }], structuredContent: { ...structured } };
  } catch (error) {
    const text = Fault.is(error) ? `${error.code}: ${reasonOf(error)}` : 'internal: it failed, and the host knows why';
    return { isError: true, content: [{ type: 'text', text }] };
  }
}
