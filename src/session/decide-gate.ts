import { z } from 'zod';
import type { RunState } from '../kernel/state.ts';
import { ContentAddress } from '../model/content-address.ts';
import { statementText } from '../model/decision-statement.ts';
import type { EventBody, EventOf } from '../model/event.ts';
import { parseEventBody } from '../model/event-schema.ts';
import { Fault } from '../model/fault.ts';
import type { GateDecisionKind } from '../model/gate.ts';
import type { JsonObject } from '../model/json.ts';
import { JsonRecord } from '../model/json-schema.ts';
import { Name, Text } from '../model/name.ts';
import { parse } from '../model/parse.ts';
import { type Approvers, Credential } from '../ports/approvers.ts';
import type { Journal } from '../ports/journal.ts';
import type { GateRow } from '../ports/journal-rows.ts';
import { explainClosed } from './closed-gate.ts';
import { gateNotHere } from './imported.ts';
import type { RunOutcome } from './outcome.ts';

/** A person's word on a gate: about exactly which packet, why, and what shows that it is theirs. */
export interface GateAnswer {
  /** Of the packet the person has seen. */
  readonly packetHash: string;
  readonly credential: Credential;
  readonly reason: string;
}

/** What the person wants to know first, in `reason`, and of whom: the one for whom the run acts where nobody is named. */
export interface GateInquiry extends GateAnswer {
  readonly asks?: string;
}

/** The answer, and the arguments as the person wants them. */
export interface GateEdit extends GateAnswer {
  readonly parameters: JsonObject;
}

const Answer: z.ZodType<GateInquiry & Partial<GateEdit>> = z.strictObject({
  packetHash: z.string().max(200),
  credential: Credential,
  reason: Text,
  parameters: JsonRecord.exactOptional(),
  asks: Name.exactOptional(),
});

export interface DecisionRoom {
  readonly now: () => number;
  readonly journal: Journal;
  readonly approvers: Approvers;
  readonly look: (runId: string) => Promise<RunState>;
  /** Brings an event to a run and drives it on; a fault where the run refuses it. */
  readonly deliver: (runId: string, input: EventBody) => Promise<RunOutcome>;
  /** Brings an event to a run and nothing else; `take` a run over that this process does not hold yet, or leave it. */
  readonly note: (runId: string, input: EventBody, take: boolean) => Promise<void>;
}

/** Takes a decision as far as the run, or refuses it; what is refused is on record in the run's own journal. */
export async function decideGate(
  room: DecisionRoom,
  gateId: string,
  decision: GateDecisionKind,
  answer: GateInquiry | GateEdit,
): Promise<RunOutcome> {
  const { approvers, look, deliver } = room;
  const { packetHash, credential, reason, parameters, asks } = parse(Answer, answer, 'input_invalid');
  const row = await gateRow(room, gateId);
  const edit = parameters === undefined ? {} : { parameters };
  const inquiry = asks === undefined ? {} : { asks };
  const about = { gate_id: gateId, packet_hash: packetHash, decision };
  const established = await approvers.establish({
    text: (key_id, signed_at) =>
      statementText({ ...about, reason, parameters: parameters ?? null, ...inquiry, key_id, signed_at }),
    credential,
    tenantId: row.tenant_id,
    since: row.opened_at,
  });
  const refuse = refusing(room, row, about);
  if (!established.ok) {
    return await refuse(established.claimedBy, new Fault(established.code, established.message));
  }
  const { approver, proof } = established;
  const dismissed = decision === 'approve' ? await revokedSince(approvers, await look(row.session_id), gateId) : {};
  const decided = { ...about, approver, reason, ...edit, ...inquiry, ...dismissed, proof };
  assertPacketHash(packetHash);
  await noteLate(room, row, about, approver);
  try {
    return await deliver(row.session_id, parseEventBody({ type: 'gate_decided', ...decided }));
  } catch (error) {
    if (!Fault.is(error) || !isRefusal(error)) throw error;
    return await refuse(approver, error);
  }
}

/** Said in the words of whoever calls, before an event says it in its own. */
function assertPacketHash(packetHash: string): void {
  if (ContentAddress.safeParse(packetHash).success) return;
  const message = `packetHash is the address of what the gate shows, "sha256:" and 64 hexadecimal digits: take it from the gate in outcome.pending`;
  throw new Fault('input_invalid', message, { path: '/packetHash' });
}

export async function gateRow({ journal }: DecisionRoom, gateId: string): Promise<GateRow> {
  const [row] = await journal.gates({ gate: parse(Name, gateId, 'gate_not_found'), limit: 1 });
  if (row === undefined) throw await gateNotHere(journal, gateId);
  return row;
}

/** Whoever comes too late is on record before the run ends by it; what becomes of the run says the rest. */
async function noteLate(
  { now, note }: DecisionRoom,
  { gate_id, session_id, status, expires_at }: GateRow,
  about: Pick<EventOf<'decision_refused'>, 'packet_hash' | 'decision'>,
  approver: string,
): Promise<void> {
  if (status !== 'open' || now() < expires_at) return;
  const message = `gate ${gate_id} has expired`;
  const refusal = {
    type: 'decision_refused',
    ...about,
    gate_id,
    claimed_by: approver,
    code: 'gate_closed',
    message,
  } as const;
  await note(session_id, refusal, true).catch(() => undefined);
}

/** Puts a refusal on record and says why. */
export function refusing(
  { journal, note }: DecisionRoom,
  row: GateRow,
  about: Pick<EventOf<'decision_refused'>, 'packet_hash' | 'decision'>,
): (claimedBy: string, fault: Fault) => Promise<never> {
  return async (claimedBy, fault) => {
    const shown = { ...about, gate_id: row.gate_id, claimed_by: claimedBy };
    const refusal = { type: 'decision_refused', ...shown, code: fault.code, message: fault.message } as const;
    // A run that has ended takes no more on record, and one that another process drives is not taken from it for this.
    await note(row.session_id, refusal, row.status === 'open').catch(() => undefined);
    throw await explainClosed(journal, row.gate_id, fault);
  };
}

/** Whose earlier yes to this gate was signed with a key that has been revoked since. */
async function revokedSince(
  approvers: Approvers,
  { people }: RunState,
  gateId: string,
): Promise<{ readonly dismissed?: readonly string[] }> {
  const dismissed: string[] = [];
  for (const { name, keyId } of people.gates.find((gate) => gate.gateId === gateId)?.approvers ?? []) {
    if (keyId !== null && (await approvers.isRevoked(keyId))) dismissed.push(name);
  }
  return dismissed.length === 0 ? {} : { dismissed };
}

/** A store that fails has refused nobody. */
export const isRefusal = ({ code }: Fault): boolean => !['fenced', 'store_unavailable', 'store_unknown'].includes(code);
