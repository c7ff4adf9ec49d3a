import { type CallToolResult, fromJsonSchema, type McpServer } from '@modelcontextprotocol/server';
import { Fault } from '../../model/fault.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { reasonOf } from '../../model/printable.ts';
import { storedAt } from '../../model/stored-answer.ts';
import { takeJson } from '../../model/take-json.ts';
import type { BoundTool } from '../../ports/bound-tool.ts';
import type { BoundedWork, WorkOutcome } from './bounded-work.ts';
import { type Desk, remember } from './desk.ts';

/** A tool is served by name only if it cannot change anything and nobody would have to be asked about it. */
export function assertServable(tools: readonly BoundTool[]): void {
  for (const { spec } of tools) {
    if (spec.approval_mode === 'read_only' && !spec.side_effect && spec.gates.length === 0) continue;
    const message = `${spec.name} is ${spec.approval_mode} and can only be reached through a run: serve "invoke" for it`;
    throw new Fault('input_invalid', message, { path: '/tools' });
  }
}

/** Read-only tools by name. Each call is a run of its own, with one step, that passes every layer and is on record. */
export function registerTools(server: McpServer, desk: Desk, tools: readonly BoundTool[]): void {
  for (const { spec } of tools) {
    const config = {
      description: spec.description,
      inputSchema: fromJsonSchema<JsonObject>({ ...spec.input_schema }),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: spec.external },
    };
    server.registerTool(spec.name, config, async (args) => answered(() => callOf(desk, spec.name, args)));
  }
}

async function callOf(desk: Desk, tool: string, given: JsonObject): Promise<object> {
  const { work, caller, started, options } = desk;
  const args = takeJson(given) as JsonObject;
  const request = takeJson(options.request({ goal: `Call ${tool}`, tool }, caller));
  if (!isJsonObject(request)) throw new Fault('envelope_invalid', 'the host made no request of the call');
  const outcome = await work.invoke({ ...request, call: { tool, args } });
  remember(started, outcome.runId, caller);
  if (outcome.terminalCode !== 'SUCCESS') throw refused(outcome);
  return { run_id: outcome.runId, result: await resultOf(work, outcome.runId) };
}

/** What the tool said, wherever it is kept. */
async function resultOf(work: BoundedWork, runId: string): Promise<Json> {
  const raw = (await work.transcripts(runId)).findLast(({ result }) => result.outcome === 'ok')?.result.raw ?? null;
  const address = storedAt(raw);
  return address === null ? raw : (JSON.parse(await work.document(runId, address)) as Json);
}

/** Why there is no result: how the run ended, in the words of whoever refused, or what it waits for. */
function refused({ runId, status, terminalCode, reason, why, pending }: WorkOutcome): Fault {
  const waits = pending.map(({ name }) => `it waits at ${name}`);
  const said = [terminalCode ?? status, reason ?? '', ...why, ...waits].filter((part) => part !== '');
  return new Fault('tool_failed', `${said.join(': ')} (${runId})`);
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
