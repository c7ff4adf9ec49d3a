import { z } from 'zod';
import { infoText } from '../model/decision-statement.ts';
import { parseEventBody } from '../model/event-schema.ts';
import { Fault } from '../model/fault.ts';
import { Text } from '../model/name.ts';
import { parse } from '../model/parse.ts';
import { Credential } from '../ports/approvers.ts';
import { type DecisionRoom, gateRow, isRefusal, refusing } from './decide-gate.ts';
import type { RunOutcome } from './outcome.ts';

/** What somebody who was asked at a gate answers: words, addresses of what they point to, or both. */
export interface InfoAnswer {
  /** Of the packet about which they were asked. */
  readonly packetHash: string;
  readonly credential: Credential;
  readonly text?: string;
  readonly evidence?: readonly string[];
}

const Answer: z.ZodType<InfoAnswer> = z.strictObject({
  packetHash: z.string().max(200),
  credential: Credential,
  text: Text.exactOptional(),
  evidence: z.array(z.string().max(200)).max(100).exactOptional(),
});

/** Takes an answer as far as the run, or refuses it. Who answers is established as for a decision. */
export async function provideInfo(room: DecisionRoom, gateId: string, answer: InfoAnswer): Promise<RunOutcome> {
  const { packetHash, credential, text, evidence = [] } = parse(Answer, answer, 'input_invalid');
  const row = await gateRow(room, gateId);
  const about = { gate_id: gateId, packet_hash: packetHash };
  const established = await room.approvers.establish({
    text: (key_id, signed_at) => infoText({ ...about, text: text ?? null, evidence, key_id, signed_at }),
    credential,
    tenantId: row.tenant_id,
    since: row.opened_at,
  });
  const refuse = refusing(room, row, { packet_hash: packetHash, decision: 'provide_info' });
  if (!established.ok) {
    return await refuse(established.claimedBy, new Fault(established.code, established.message));
  }
  const { approver: by, proof } = established;
  const said = { ...(text === undefined ? {} : { text }), ...(evidence.length === 0 ? {} : { evidence }) };
  try {
    return await room.deliver(row.session_id, parseEventBody({ type: 'info_provided', ...about, by, ...said, proof }));
  } catch (error) {
    if (!Fault.is(error) || !isRefusal(error)) throw error;
    return await refuse(by, error);
  }
}
