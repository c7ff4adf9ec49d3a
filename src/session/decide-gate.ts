import { statementText } from '../model/decision-statement.ts';
import type { EventBody } from '../model/event.ts';
import { parseEventBody } from '../model/event-schema.ts';
import { Fault } from '../model/fault.ts';
import type { GateDecisionKind } from '../model/gate.ts';
import type { JsonObject } from '../model/json.ts';
import type { Approvers, Credential } from '../ports/approvers.ts';
import type { Journal } from '../ports/journal.ts';
import { explainClosed } from './closed-gate.ts';
import type { RunOutcome } from './outcome.ts';

/** A person's word on a gate: about exactly which packet, why, and what shows that it is theirs. */
export interface GateAnswer {
  /** Of the packet the person has seen. */
  readonly packetHash: string;
  readonly credential: Credential;
  readonly reason: string;
}

/** The answer, and the arguments as the person wants them. */
export interface GateEdit extends GateAnswer {
  readonly parameters: JsonObject;
}

export interface DecisionRoom {
  readonly journal: Journal;
  readonly approvers: Approvers;
  /** Brings an event to a run and drives it on; a fault where the run refuses it. */
  readonly deliver: (runId: string, input: EventBody) => Promise<RunOutcome>;
  /** Brings an event to a run and nothing else; `take` a run over that this process does not hold yet, or leave it. */
  readonly note: (runId: string, input: EventBody, take: boolean) => Promise<void>;
}

/** Takes a decision as far as the run, or refuses it; what is refused is on record in the run's own journal. */
export async function decideGate(
  { journal, approvers, deliver, note }: DecisionRoom,
  gateId: string,
  decision: GateDecisionKind,
  answer: GateAnswer | GateEdit,
): Promise<RunOutcome> {
  const [row] = await journal.gates({ gate: gateId, limit: 1 });
  if (row === undefined) throw new Fault('gate_not_found', `there is no gate ${gateId}`);
  const { packetHash, credential, reason } = answer;
  const edit = 'parameters' in answer ? { parameters: answer.parameters } : {};
  const about = { gate_id: gateId, packet_hash: packetHash, decision };
  const parameters = edit.parameters ?? null;
  const established = await approvers.establish({
    text: (key_id, signed_at) => statementText({ ...about, reason, parameters, key_id, signed_at }),
    credential,
    tenantId: row.tenant_id,
    since: row.opened_at,
  });
  const refuse = async (claimedBy: string, fault: Fault): Promise<never> => {
    const shown = { ...about, packet_hash: String(packetHash).slice(0, 200), claimed_by: claimedBy };
    const refusal = { type: 'decision_refused', ...shown, code: fault.code, message: fault.message } as const;
    // A run that has ended takes no more on record, and one that another process drives is not taken from it for this.
    await note(row.session_id, refusal, row.status === 'open').catch(() => undefined);
    throw await explainClosed(journal, gateId, fault);
  };
  if (!established.ok) {
    return await refuse(established.claimedBy, new Fault(established.code, established.message));
  }
  const { approver, proof } = established;
  const decided = { ...about, approver, reason, ...edit, proof };
  try {
    return await deliver(row.session_id, parseEventBody({ type: 'gate_decided', ...decided }));
  } catch (error) {
    if (!Fault.is(error) || !isRefusal(error)) throw error;
    return await refuse(approver, error);
  }
}

/** A store that fails has refused nobody. */
const isRefusal = ({ code }: Fault): boolean => !['fenced', 'store_unavailable', 'store_unknown'].includes(code);
