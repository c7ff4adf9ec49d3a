import { z } from 'zod';
import { parseEventBody } from '../../model/events/event-schema.ts';
import { Fault } from '../../model/fault/fault.ts';
import { signingText } from '../../model/gate/signing-text.ts';
import { exactObject } from '../../model/json/exact.ts';
import { Text } from '../../model/json/name.ts';
import { parse } from '../../model/json/parse.ts';
import { Credential } from '../../ports/approvers.ts';
import type { RunOutcome } from '../../session/outcome.ts';
import { type DecisionDeps, gateRow, isRefusal, refuseDecision } from './decide-gate.ts';

/** An answer to a request for information: text, addresses of evidence, or both. */
export interface InfoAnswer {
  /** The hash of the packet that the request was about. */
  readonly packetHash: string;
  readonly credential: Credential;
  readonly text?: string;
  readonly evidence?: readonly string[];
}

const Answer: z.ZodType<InfoAnswer> = exactObject({
  packetHash: z.string().max(200),
  credential: Credential,
  text: Text.exactOptional(),
  evidence: z.array(z.string().max(200)).max(100).exactOptional(),
});

/** Authenticates an answer as for a decision and delivers it to the run, or refuses it. */
export async function provideInfo(deps: DecisionDeps, gateId: string, answer: InfoAnswer): Promise<RunOutcome> {
  const { packetHash, credential, text, evidence = [] } = parse(Answer, answer, 'input_invalid');
  const row = await gateRow(deps, gateId);
  const about = { gate_id: gateId, packet_hash: packetHash };
  const established = await deps.approvers.establish({
    text: (key_id, signed_at) => signingText.info({ ...about, text: text ?? null, evidence, key_id, signed_at }),
    credential,
    tenantId: row.tenant_id,
    since: row.opened_at,
  });
  const refuse = refuseDecision(deps, row, { packet_hash: packetHash, decision: 'provide_info' });
  if (!established.ok) {
    return await refuse(established.claimedBy, new Fault(established.code, established.message));
  }
  const { approver: by, proof } = established;
  const content = { ...(text === undefined ? {} : { text }), ...(evidence.length === 0 ? {} : { evidence }) };
  try {
    return await deps.deliver(
      row.session_id,
      parseEventBody({ type: 'info_provided', ...about, by, ...content, proof }),
    );
  } catch (error) {
    if (!Fault.is(error) || !isRefusal(error)) throw error;
    return await refuse(by, error);
  }
}
