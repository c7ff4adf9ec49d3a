import {
  type CallToolResult,
  createMcpHandler,
  fromJsonSchema,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  type McpHandlerRequestOptions,
  McpServer,
  originValidationResponse,
  type Transport,
} from '@modelcontextprotocol/server';
import { type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { Fault } from '../../model/fault/fault.ts';
import { guardInput } from '../../model/fault/guard-input.ts';
import type { GateProgress } from '../../model/gate/gate-terms.ts';
import { exact } from '../../model/json/exact.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json/json.ts';
import { reasonOf } from '../../model/json/printable.ts';
import { storedAt } from '../../model/json/stored-answer.ts';
import { takeJson } from '../../model/json/take-json.ts';
import { visibleJson } from '../../model/text/visible-text.ts';
import { shownTool } from '../../model/tool/shown-tool.ts';
import type { Credential } from '../../ports/approvers.ts';
import type { BoundTool } from '../../ports/bound-tool.ts';
import {
  type BoundedWork,
  type ClientContext,
  type McpCaller,
  principal,
  remember,
  type ToMcpOptions,
  type WorkFor,
  type WorkOutcome,
} from './bounded-work.ts';

/** The structured content of every answer about a run. A run that waits for a person is an answer, not an error. */
export interface RunReport {
  readonly run_id: string;
  readonly status: WorkOutcome['status'];
  readonly terminal_code: string | null;
  readonly reason: string | null;
  readonly answer: string | null;
  readonly authority: string | null;
  readonly pending: readonly {
    readonly gate_id: string;
    readonly name: string;
    readonly gates: readonly GateProgress[];
    readonly step_id: string | null;
    readonly packet_hash: string;
    readonly expires_at: string;
    readonly packet: Readonly<Record<string, unknown>>;
  }[];
  readonly question: {
    readonly question_id: string;
    readonly fields: readonly string[];
    readonly readings: readonly string[];
  } | null;
}

const Gate = z.object({
  gate_id: z.string(),
  name: z.string().describe('The first gate'),
  gates: z
    .array(z.object({ name: z.string(), decided_by: z.string().nullable() }))
    .describe('Every gate of the call; it is sent once a person has decided each of them'),
  step_id: z.string().nullable(),
  packet_hash: z.string().describe('What an approval has to name: it fits this packet and no other'),
  expires_at: z.iso.datetime(),
  packet: z
    .record(z.string(), z.unknown())
    .describe('What a person is asked to approve; hidden and look-alike characters are escaped'),
});

export const RunReport: z.ZodType<RunReport> = exact(
  z.object({
    run_id: z.string(),
    status: z.enum([
      'in_progress',
      'awaiting_gate',
      'paused',
      'completed',
      'failed',
      'expired',
      'rejected',
      'cancelled',
    ]),
    terminal_code: z.string().nullable(),
    reason: z.string().nullable(),
    answer: z.string().nullable(),
    authority: z.string().nullable().describe('Who decides about a run that was handed over'),
    pending: z.array(Gate).describe('The gates at which the run waits for a person'),
    question: z
      .object({ question_id: z.string(), fields: z.array(z.string()), readings: z.array(z.string()) })
      .nullable(),
  }),
);

async function reportOf(work: Pick<BoundedWork, 'gates'>, outcome: WorkOutcome): Promise<RunReport> {
  const { runId, status, terminalCode, reason, text, authority, question } = outcome;
  const pending = outcome.pending.map(async ({ gateId, name, gates, stepId, packetHash, expiresAt }) => ({
    gate_id: gateId,
    name,
    gates,
    step_id: stepId,
    packet_hash: packetHash,
    expires_at: new Date(expiresAt).toISOString(),
    packet: visibleJson(await work.gates.packet(packetHash)) as JsonObject,
  }));
  return {
    run_id: runId,
    status,
    terminal_code: terminalCode,
    reason,
    answer: text,
    authority,
    pending: await Promise.all(pending),
    question:
      question === null
        ? null
        : { question_id: question.questionId, fields: question.fields, readings: question.readings },
  };
}

const Invoke = z.object({
  goal: z.string().describe('What is to be done, in one or two sentences'),
  intent: z.string().optional().describe('The kind of work, if the host offers more than one'),
  inputs: z.record(z.string(), z.json()).optional().describe('What the work needs to know'),
});
const Status = z.object({ run_id: z.string() });
const Signature = z.object({
  key_id: z.string(),
  signed_at: z.number().describe('Milliseconds since the epoch'),
  signature: z.string().describe('Ed25519 over the decision, in base64'),
});
const Approve = z.object({
  gate_id: z.string(),
  packet_hash: z.string().describe('Of the packet that the person has seen'),
  reason: z.string(),
  gates: z
    .array(z.string())
    .optional()
    .describe('The gates that the approval covers, if the call has several; a signature names them'),
  signature: Signature.optional().describe("The person's own signature; needed unless the host knows the caller"),
});

/** Annotations for the client. A run may do anything its agent may, up to its gates. */
const WORKS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
const READS = { readOnlyHint: true, openWorldHint: false };

function registerWork(server: McpServer, context: ClientContext): void {
  const { work, caller, started, options } = context;
  const config = (
    description: string,
    annotations: object,
  ): { description: string; annotations: object; outputSchema: typeof RunReport } => ({
    description,
    annotations,
    outputSchema: RunReport,
  });
  server.registerTool('invoke', { ...config(INVOKE, WORKS), inputSchema: Invoke }, async ({ goal, intent, inputs }) =>
    toToolResult(async () => {
      const asked = { goal, intent, inputs: inputs === undefined ? undefined : (takeJson(inputs) as JsonObject) };
      const outcome = await work.invoke(options.request(asked, caller));
      remember(started, outcome.runId, caller);
      return await reportOf(work, outcome);
    }),
  );
  server.registerTool('status', { ...config(STATUS, READS), inputSchema: Status }, async ({ run_id }) =>
    toToolResult(async () => {
      await assertMayRead(context, run_id);
      return await reportOf(work, await work.sessions.get(run_id));
    }),
  );
  if (options.approvals === 'none') return;
  server.registerTool(
    'approve',
    { ...config(APPROVE, WORKS), inputSchema: Approve },
    async ({ gate_id, packet_hash, reason, gates, signature }) =>
      toToolResult(async () => {
        const credential = credentialOf(context, signature);
        const answer = { packetHash: packet_hash, credential, reason, ...(gates === undefined ? {} : { gates }) };
        return await reportOf(work, await work.approve(gate_id, answer));
      }),
  );
}

const INVOKE =
  'Starts a bounded run and answers when it has ended or waits for a person. A run with status awaiting_gate shows what a person has to approve.';
const STATUS = 'How a run stands, and what it waits for.';
const APPROVE = "Hands in a person's approval of exactly one packet. An agent cannot approve in a person's place.";

function credentialOf(
  { caller, options }: ClientContext,
  signature: z.infer<typeof Signature> | undefined,
): Credential {
  if (signature !== undefined) {
    const { key_id, signed_at } = signature;
    return { kind: 'signing_key', keyId: key_id, signedAt: signed_at, signature: signature.signature };
  }
  const vouched = typeof options.approvals === 'function' ? options.approvals(caller) : null;
  if (vouched !== null) return vouched;
  throw new Fault(
    'approver_missing',
    'the decision carries no signature, and the host knows no approver behind this client',
  );
}

async function assertMayRead({ caller, started, options }: ClientContext, runId: string): Promise<void> {
  const isAllowed = options.mayRead?.(runId, caller) ?? started.get(runId) === principal(caller);
  // The fault does not reveal whether the run exists.
  if (!(await isAllowed)) throw new Fault('session_not_found', `there is no run ${runId} of yours`);
}

/** Rejects tools that change something or need approval: they cannot be served by name. */
function assertServable(tools: readonly BoundTool[]): void {
  for (const { spec } of tools) {
    if (spec.approval_mode === 'read_only' && !spec.side_effect && spec.gates.length === 0) continue;
    const message = `${spec.name} is ${spec.approval_mode} and can only be reached through a run: serve "invoke" for it`;
    throw new Fault('input_invalid', message, { path: '/tools' });
  }
}

/** Serves read-only tools by name. Each call is a recorded run with one step, checked by every layer. */
function registerTools(server: McpServer, context: ClientContext, tools: readonly BoundTool[]): void {
  for (const { spec: served } of tools) {
    const spec = shownTool(served);
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
  const waits = pending.map(({ gates }) => `it waits at ${gates.map(({ name }) => name).join(' and ')}`);
  const parts = [terminalCode ?? status, reason ?? '', ...why, ...waits].filter((part) => part !== '');
  return new Fault('tool_failed', `${parts.join(': ')} (${runId})`);
}

/** Returns a Fault with its code as an error result. Other errors are not described to the client. */
async function toToolResult(work: () => Promise<object>): Promise<CallToolResult> {
  try {
    const structured = await work();
    return { content: [{ type: 'text', text: JSON.stringify(structured) }], structuredContent: { ...structured } };
  } catch (error) {
    const text = Fault.is(error) ? `${error.code}: ${reasonOf(error)}` : 'internal: it failed, and the host knows why';
    return { isError: true, content: [{ type: 'text', text }] };
  }
}

/** An MCP server for any number of clients. */
export interface McpService {
  /** Serves streamable HTTP, as a function of web-standard types. */
  fetch(request: Request, options?: McpHandlerRequestOptions): Promise<Response>;
  /** Serves standard input and output of this process, or a given transport. */
  stdio(transport?: Transport): StdioServerHandle;
  close(): Promise<void>;
}

/**
 * Serves a runtime's agents to MCP clients, which can start work, read its state and submit a person's decision. With
 * several tenants, pass a function that returns the runtime of the caller's tenant: `(caller) => runtime.within(…)`.
 */
export const toMCP: (work: BoundedWork | WorkFor, options: ToMcpOptions) => McpService = guardInput(
  'toMCP',
  (work: BoundedWork | WorkFor, options: ToMcpOptions): McpService => {
    const { name, version = '1', tools = [], hosts = localhostAllowedHostnames() } = options;
    assertServable(tools);
    const started = new Map<string, string>();
    const serverFor = (caller: McpCaller): McpServer => {
      const server = new McpServer({ name, version });
      const context = { work: typeof work === 'function' ? work(caller) : work, caller, started, options };
      registerWork(server, context);
      registerTools(server, context, tools);
      return server;
    };
    const handler = createMcpHandler(({ authInfo }) => serverFor({ auth: authInfo ?? null }));
    return {
      fetch: async (request, requestOptions) =>
        hostHeaderValidationResponse(request, [...hosts]) ??
        originValidationResponse(request, [...hosts]) ??
        (await handler.fetch(request, requestOptions)),
      stdio: (transport) => serveStdio(() => serverFor({ auth: null }), transport === undefined ? {} : { transport }),
      close: () => handler.close(),
    };
  },
);
