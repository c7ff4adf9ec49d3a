import { z } from 'zod';
import { coverableGates, type KernelEnv, type OpenGate, type RunState } from '../../kernel/index.ts';
import type { EventBody, EventOf } from '../../model/events/event.ts';
import { parseEventBody } from '../../model/events/event-schema.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { Fault, type FaultCode } from '../../model/fault/fault.ts';
import { GATE_DECISION_RULES, type GateDecisionKind } from '../../model/gate/gate.ts';
import { signingText } from '../../model/gate/signing-text.ts';
import { exactObject, JsonRecord } from '../../model/json/exact.ts';
import { ContentAddress } from '../../model/json/hash.ts';
import type { JsonObject } from '../../model/json/json.ts';
import { Name, Text } from '../../model/json/name.ts';
import { parse } from '../../model/json/parse.ts';
import { type Approvers, Credential, type Established } from '../../ports/approvers.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { GateRow } from '../../ports/journal/rows.ts';
import type { Proofs } from '../../ports/proofs.ts';
import { gateNotFound } from '../../session/import-note.ts';
import type { RunOutcome } from '../../session/outcome.ts';
import { UNPROVEN_FAULTS } from '../../session/proofs/assert-proven.ts';
import { unprovenDecisions } from '../../session/proofs/check-decisions.ts';
import { VERSION_FAULTS } from '../../session/used-versions.ts';
import { explainClosed } from './closed-gate.ts';

/** A person's decision on a gate: the packet it refers to, a credential and a reason. */
export interface GateAnswer {
  /** The hash of the packet that the person has seen. */
  readonly packetHash: string;
  readonly credential: Credential;
  readonly reason: string;
  /**
   * For an approval of a call with several gates: the gates that it covers. Default: all gates that the person may
   * decide. A signature has to name them; see `decidableGates`.
   */
  readonly gates?: readonly string[];
}

/** A request for information: `reason` is the question, `asks` names who answers, by default the requester. */
export interface GateInquiry extends GateAnswer {
  readonly asks?: string;
}

/** A decision that replaces the arguments. */
export interface GateEdit extends GateAnswer {
  readonly parameters: JsonObject;
}

const Answer: z.ZodType<GateInquiry & Partial<GateEdit>> = exactObject({
  packetHash: z.string().max(200),
  credential: Credential,
  reason: Text,
  parameters: JsonRecord.exactOptional(),
  asks: Name.exactOptional(),
  gates: z.array(Name).min(1).max(100).exactOptional(),
});

export interface DecisionDeps {
  readonly now: () => number;
  readonly journal: Journal;
  readonly approvers: Approvers;
  /** Undefined if decisions are not signed. */
  readonly proofs: Proofs | undefined;
  readonly look: (runId: string) => Promise<RunState>;
  readonly env: KernelEnv;
  /** Delivers an event to a run and drives the run. Throws if the run refuses the event. */
  readonly deliver: (runId: string, input: EventBody) => Promise<RunOutcome>;
  /**
   * Delivers an event to a run without driving it. `take` says whether to load a run that this process does not hold.
   */
  readonly note: (runId: string, input: EventBody, take: boolean) => Promise<void>;
}

/** Authenticates a decision and delivers it to the run. A refused decision is recorded in the run's journal. */
export async function decideGate(
  deps: DecisionDeps,
  gateId: string,
  decision: GateDecisionKind,
  answer: GateInquiry | GateEdit,
): Promise<RunOutcome> {
  const { approvers, deliver } = deps;
  const { packetHash, credential, reason, parameters, asks, gates } = parse(Answer, answer, 'input_invalid');
  const row = await gateRow(deps, gateId);
  const edit = parameters === undefined ? {} : { parameters };
  const inquiry = { ...(asks === undefined ? {} : { asks }), ...(gates === undefined ? {} : { gates }) };
  const about = { gate_id: gateId, packet_hash: packetHash, decision };
  const established = await approvers.establish({
    text: (key_id, signed_at) =>
      signingText.decision({ ...about, reason, parameters: parameters ?? null, ...inquiry, key_id, signed_at }),
    credential,
    tenantId: row.tenant_id,
    since: row.opened_at,
  });
  const refuse = refuseDecision(deps, row, about);
  if (!established.ok) {
    return await refuse(established.claimedBy, new Fault(established.code, established.message));
  }
  const { approver, proof } = established;
  const vote = GATE_DECISION_RULES[decision].consents ? await voteOf(deps, row, established) : {};
  const decided = { ...about, approver, reason, ...edit, ...vote, ...inquiry, proof };
  assertPacketHash(packetHash);
  await recordLate(deps, row, about, approver);
  try {
    return await deliver(row.session_id, parseEventBody({ type: 'gate_decided', ...decided }));
  } catch (error) {
    if (!Fault.is(error) || !isRefusal(error)) throw error;
    return await refuse(approver, error);
  }
}

/** Rejects a malformed hash with a message about the API option, before the event schema rejects it. */
function assertPacketHash(packetHash: string): void {
  if (ContentAddress.safeParse(packetHash).success) return;
  const message = `packetHash must be "sha256:" and 64 hexadecimal digits: take it from the gate in outcome.pending`;
  throw new Fault('input_invalid', message, { path: '/packetHash' });
}

async function gateRow({ journal }: DecisionDeps, gateId: string): Promise<GateRow> {
  const [row] = await journal.gates({ gate: parse(Name, gateId, 'gate_not_found'), limit: 1 });
  if (row === undefined) throw await gateNotFound(journal, gateId);
  return row;
}

/** Records a decision that arrives after the gate has expired, before the run ends because of it. */
async function recordLate(
  { now, note }: DecisionDeps,
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

/** Returns a function that records a refusal and throws it. */
function refuseDecision(
  { journal, note }: DecisionDeps,
  row: GateRow,
  about: Pick<EventOf<'decision_refused'>, 'packet_hash' | 'decision'>,
): (claimedBy: string, fault: Fault) => Promise<never> {
  return async (claimedBy, fault) => {
    const shown = { ...about, gate_id: row.gate_id, claimed_by: claimedBy };
    const refusal = { type: 'decision_refused', ...shown, code: fault.code, message: fault.message } as const;
    // A run that has ended records nothing more, and a run that another process drives is not taken over for this.
    await note(row.session_id, refusal, row.status === 'open').catch(() => undefined);
    throw await explainClosed(journal, row.gate_id, fault);
  };
}

type Vote = Pick<EventOf<'gate_decided'>, 'dismissed' | 'gates'>;

/** The parts of an approval that depend on the open gate: the earlier approvals that it dismisses, and its gates. */
async function voteOf(deps: DecisionDeps, row: GateRow, person: Extract<Established, { ok: true }>): Promise<Vote> {
  const state = await deps.look(row.session_id);
  const open = state.people.gates.find(({ gateId }) => gateId === row.gate_id);
  if (open === undefined) return {};
  const dismissed = await dismissedApprovers(deps, row, open);
  const vote = dismissed.length === 0 ? {} : { dismissed };
  // A signature covers the gates that its text names, so the signer has to name them.
  if (open.gates.length === 1 || person.proof.credential === 'signing_key') return vote;
  const gates = coverableGates(deps.env, state, open, { ...person, ...vote });
  return gates.length === 0 ? vote : { ...vote, gates };
}

/** The approvers of this gate whose signing key has been revoked since they approved, or whose approval is unproven. */
async function dismissedApprovers(
  { approvers, proofs, journal }: DecisionDeps,
  { gate_id, session_id }: GateRow,
  open: OpenGate,
): Promise<readonly string[]> {
  const counted = open.gates.flatMap((part) => part.approvers);
  if (counted.length === 0) return [];
  const events = (await journal.load(session_id)).flatMap(frameEvents);
  const unproven = (await unprovenDecisions(proofs, events)).flatMap(({ decision: { event } }) =>
    event.type === 'gate_decided' && event.gate_id === gate_id ? [event.approver] : [],
  );
  const dismissed = new Set<string>();
  for (const { name, keyId } of counted) {
    if (unproven.includes(name) || (keyId !== null && (await approvers.isRevoked(keyId)))) dismissed.add(name);
  }
  return [...dismissed];
}

/** Faults that no decider causes: the store failed, the process has other versions, or the run may not continue. */
const PROCESS_FAULTS: readonly FaultCode[] = [
  'fenced',
  'store_unavailable',
  'store_unknown',
  ...UNPROVEN_FAULTS,
  ...VERSION_FAULTS,
];

export const isRefusal = ({ code }: Fault): boolean => !PROCESS_FAULTS.includes(code);

/** An answer to a request for information: text, addresses of evidence, or both. */
export interface InfoAnswer {
  /** The hash of the packet that the request was about. */
  readonly packetHash: string;
  readonly credential: Credential;
  readonly text?: string;
  readonly evidence?: readonly string[];
}

const Info: z.ZodType<InfoAnswer> = exactObject({
  packetHash: z.string().max(200),
  credential: Credential,
  text: Text.exactOptional(),
  evidence: z.array(z.string().max(200)).max(100).exactOptional(),
});

/** Authenticates an answer as for a decision and delivers it to the run, or refuses it. */
export async function provideInfo(deps: DecisionDeps, gateId: string, answer: InfoAnswer): Promise<RunOutcome> {
  const { packetHash, credential, text, evidence = [] } = parse(Info, answer, 'input_invalid');
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
