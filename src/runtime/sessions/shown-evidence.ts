import type { z } from 'zod';
import type { RunEvent } from '../../model/events/event.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { ApprovalPacket, EvidenceRef } from '../../model/gate/approval-packet.ts';
import { packetGates } from '../../model/gate/gate-terms.ts';
import { signingText } from '../../model/gate/signing-text.ts';
import { exactObject } from '../../model/json/exact.ts';
import { address, type Hash } from '../../model/json/hash.ts';
import type { Json } from '../../model/json/json.ts';
import { Name } from '../../model/json/name.ts';
import { storedAt } from '../../model/json/stored-answer.ts';
import { confirmedPart } from '../../model/tool/confirmed-part.ts';
import type { Confirmed } from '../../model/tool/observation.ts';
import { reportedOutcomeReader } from '../../model/tool/reported-outcome.ts';
import type { Approvers, Credential } from '../../ports/approvers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import { authenticateDecider, type WaitingGate } from '../gates/approvers.ts';
import { recordedOf } from '../tenants/recorded-tenant.ts';

/** A value that a packet refers to by its address. */
export interface ShownEvidence {
  readonly runId: string;
  readonly gateId: string;
  readonly evidenceId: string;
  /** The tool that returned the value. */
  readonly source: string;
  readonly value: Json;
}

/** The tenant whose packets are searched; all tenants by default. */
export interface EvidenceFilter {
  readonly tenant?: string;
}
export const EvidenceFilter: z.ZodType<EvidenceFilter> = exactObject({ tenant: Name.exactOptional() });

interface EvidenceDeps {
  readonly journal: Pick<Journal, 'gates' | 'blob' | 'load' | 'first'>;
  readonly approvers: Approvers;
  readonly clock: Clock;
  readonly hash: Hash;
}

/** The evidence and the deciders of a packet. Packets that are not about a call list no evidence. */
type ShownPacket = Pick<ApprovalPacket, 'gate' | 'deciders' | 'gates'> & Partial<Pick<ApprovalPacket, 'evidence'>>;

interface NamedEvidence extends WaitingGate {
  readonly ref: EvidenceRef;
}

/**
 * Returns the value of an address in an open packet, for the person who decides on it. An address that no open packet
 * names is refused, even if the store holds it. A credential must belong to a person who may decide the gate; without
 * one the process itself asks.
 */
export async function shownEvidence(
  deps: EvidenceDeps,
  wantedAddress: string,
  credential?: Credential,
  filter: EvidenceFilter = {},
): Promise<ShownEvidence> {
  const named = await findReference(deps, wantedAddress, filter);
  if (named === null) throw new Fault('blob_missing', 'no open packet names this address');
  if (credential !== undefined) {
    await authenticateDecider(deps.approvers, named, credential, (key_id, signed_at) =>
      signingText.evidence({ address: wantedAddress, key_id, signed_at }),
    );
  }
  const { gate, ref } = named;
  const events = (await deps.journal.load(gate.session_id)).flatMap(
    ({ events: text }) => JSON.parse(text) as RunEvent[],
  );
  const value = committedAs(events, ref.evidence_id);
  if (value === undefined || address(deps.hash, value) !== wantedAddress) {
    throw new Fault(
      'blob_missing',
      `the journal of ${gate.session_id} does not contain the value of ${ref.evidence_id}`,
    );
  }
  const { session_id: runId, gate_id: gateId } = gate;
  return { runId, gateId, evidenceId: ref.evidence_id, source: ref.source, value };
}

async function findReference(
  { journal, clock }: EvidenceDeps,
  wantedAddress: string,
  { tenant }: EvidenceFilter,
): Promise<NamedEvidence | null> {
  const now = clock.nowMs();
  const rows = await journal.gates({ ...(tenant === undefined ? {} : { tenant }), statuses: ['open'] });
  const open = tenant === undefined ? rows : await recordedOf(journal, tenant, rows, ({ session_id }) => session_id);
  for (const gate of open.filter(({ expires_at }) => now < expires_at)) {
    const packet = JSON.parse(await journal.blob(gate.packet_hash as `sha256:${string}`)) as ShownPacket;
    const ref = packet.evidence?.find((each) => each.address === wantedAddress);
    if (ref !== undefined) return { gate, ref, gates: packetGates(packet) };
  }
  return null;
}

/** The value that the run committed under an evidence id: the confirmed part of the call's result. */
function committedAs(events: readonly RunEvent[], evidenceId: string): Json | undefined {
  const raws = new Map<string, Json>();
  const confirmed = new Map<string, Confirmed>();
  const readReport = reportedOutcomeReader();
  for (const event of events) {
    const reported = readReport(event);
    if (reported !== null) raws.set(reported.call_id, reported.result);
    if (event.type === 'step_observed' || event.type === 'call_reconciled') raws.set(event.call_id, event.raw);
    if (event.type === 'step_verified') confirmed.set(event.call_id, event.confirmed);
    if (event.type !== 'step_committed' || event.evidence_id !== evidenceId) continue;
    return confirmedPart(raws.get(event.call_id) ?? null, confirmed.get(event.call_id) ?? 'all');
  }
  return undefined;
}

/**
 * Returns whether the run itself stored a text at this address: a packet it showed, or a result too large for its
 * journal. An address that merely occurs in the run does not count, because arguments may contain addresses of other
 * tenants.
 */
export const hasStored = (events: readonly RunEvent[], address: string): boolean =>
  events.some((event) => keptBy(event) === address);

/** The address that an event stored. Addresses in people's input do not count. */
function keptBy(event: RunEvent): Json | undefined {
  switch (event.type) {
    case 'gate_opened':
    case 'question_asked':
    case 'run_escalated':
      return event.packet_hash;
    case 'step_observed':
    case 'answer_came_late':
    case 'call_reconciled':
      return storedAt(event.raw) ?? undefined;
    default:
      return undefined;
  }
}
