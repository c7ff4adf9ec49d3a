import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { Fault } from '../../model/fault.ts';
import type { JsonObject } from '../../model/json.ts';
import { takeJson } from '../../model/take-json.ts';
import type { Credential } from '../../ports/approvers.ts';
import { type Desk, principal, remember } from './desk.ts';
import { RunReport, reportOf } from './run-report.ts';
import { answered } from './served-tools.ts';

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
  signature: Signature.optional().describe("The person's own signature; needed unless the host knows the caller"),
});

/** Annotations are for the client: every run may do whatever its agent may, up to the gates. */
const WORKS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
const READS = { readOnlyHint: true, openWorldHint: false };

export function registerWork(server: McpServer, desk: Desk): void {
  const { work, caller, started, options } = desk;
  const config = (
    description: string,
    annotations: object,
  ): { description: string; annotations: object; outputSchema: typeof RunReport } => ({
    description,
    annotations,
    outputSchema: RunReport,
  });
  server.registerTool('invoke', { ...config(INVOKE, WORKS), inputSchema: Invoke }, async ({ goal, intent, inputs }) =>
    answered(async () => {
      const asked = { goal, intent, inputs: inputs === undefined ? undefined : (takeJson(inputs) as JsonObject) };
      const outcome = await work.invoke(options.request(asked, caller));
      remember(started, outcome.runId, caller);
      return await reportOf(work, outcome);
    }),
  );
  server.registerTool('status', { ...config(STATUS, READS), inputSchema: Status }, async ({ run_id }) =>
    answered(async () => {
      await assertMayRead(desk, run_id);
      return await reportOf(work, await work.outcome(run_id));
    }),
  );
  if (options.approvals === 'none') return;
  server.registerTool(
    'approve',
    { ...config(APPROVE, WORKS), inputSchema: Approve },
    async ({ gate_id, packet_hash, reason, signature }) =>
      answered(async () => {
        const credential = credentialOf(desk, signature);
        return await reportOf(work, await work.approve(gate_id, { packetHash: packet_hash, credential, reason }));
      }),
  );
}

const INVOKE =
  'Starts a bounded run and answers when it has ended or waits for somebody. A run with status awaiting_gate shows what a person has to approve.';
const STATUS = 'How a run stands, and what it waits for.';
const APPROVE = "Hands in a person's approval of exactly one packet. An agent cannot approve in a person's place.";

function credentialOf({ caller, options }: Desk, signature: z.infer<typeof Signature> | undefined): Credential {
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

async function assertMayRead({ caller, started, options }: Desk, runId: string): Promise<void> {
  const may = options.mayRead?.(runId, caller) ?? started.get(runId) === principal(caller);
  // Whether a run exists is already an answer about it.
  if (!(await may)) throw new Fault('session_not_found', `there is no run ${runId} of yours`);
}
