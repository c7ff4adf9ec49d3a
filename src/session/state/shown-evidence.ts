import { z } from 'zod';
import { confirmedPart } from '../../kernel/grounding.ts';
import type { EvidenceRef } from '../../model/approval-packet.ts';
import type { RunEvent } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import type { Deciders } from '../../model/gate.ts';
import { address, type Hash } from '../../model/hash.ts';
import type { Json } from '../../model/json.ts';
import { Name } from '../../model/name.ts';
import type { Confirmed } from '../../model/observation.ts';
import { evidenceText } from '../../model/run-statement.ts';
import { heardToHaveHappened } from '../../model/said-happened.ts';
import type { Approvers, Credential } from '../../ports/approvers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal.ts';
import { deciderAt, type WaitingGate } from '../gate-decider.ts';

/** What a packet rests on, looked up: the value at an address that it names. */
export interface ShownEvidence {
  readonly runId: string;
  readonly gateId: string;
  readonly evidenceId: string;
  /** The tool that said it. */
  readonly source: string;
  readonly value: Json;
}

/** Whose packets are looked through; everybody's where nobody is named. */
export interface EvidenceFilter {
  readonly tenant?: string;
}
export const EvidenceFilter: z.ZodType<EvidenceFilter> = z.strictObject({ tenant: Name.exactOptional() });

export interface EvidenceRoom {
  readonly journal: Pick<Journal, 'gates' | 'blob' | 'load'>;
  readonly approvers: Approvers;
  readonly clock: Clock;
  readonly hash: Hash;
}

interface Named extends WaitingGate {
  readonly ref: EvidenceRef;
}

/**
 * The value behind an address in a packet that waits for somebody, for whoever has to decide about it. An address that
 * no open packet names opens nothing, whatever is stored under it. A credential has to be that of somebody who may
 * decide at the gate; without one it is the process itself that asks.
 */
export async function shownEvidence(
  room: EvidenceRoom,
  wanted: string,
  credential?: Credential,
  filter: EvidenceFilter = {},
): Promise<ShownEvidence> {
  const named = await namedIn(room, wanted, filter);
  if (named === null) throw new Fault('blob_missing', 'no packet that waits for somebody names this address');
  if (credential !== undefined) {
    await deciderAt(room.approvers, named, credential, (key_id, signed_at) =>
      evidenceText({ address: wanted, key_id, signed_at }),
    );
  }
  const { gate, ref } = named;
  const events = (await room.journal.load(gate.session_id)).flatMap(
    ({ events: text }) => JSON.parse(text) as RunEvent[],
  );
  const value = committedAs(events, ref.evidence_id);
  if (value === undefined || address(room.hash, value) !== wanted) {
    throw new Fault('blob_missing', `the journal of ${gate.session_id} does not hold what ${ref.evidence_id} said`);
  }
  const { session_id: runId, gate_id: gateId } = gate;
  return { runId, gateId, evidenceId: ref.evidence_id, source: ref.source, value };
}

async function namedIn(
  { journal, clock }: EvidenceRoom,
  wanted: string,
  { tenant }: EvidenceFilter,
): Promise<Named | null> {
  const now = clock.nowMs();
  const open = await journal.gates({ ...(tenant === undefined ? {} : { tenant }), statuses: ['open'] });
  for (const gate of open.filter(({ expires_at }) => now < expires_at)) {
    const packet = JSON.parse(await journal.blob(gate.packet_hash as `sha256:${string}`)) as {
      readonly evidence?: readonly EvidenceRef[];
      readonly deciders?: Deciders;
    };
    const ref = packet.evidence?.find((each) => each.address === wanted);
    if (ref !== undefined) return { gate, ref, deciders: packet.deciders };
  }
  return null;
}

/** What the run committed under an id: the confirmed part of what the call brought back. */
function committedAs(events: readonly RunEvent[], evidenceId: string): Json | undefined {
  const raws = new Map<string, Json>();
  const confirmed = new Map<string, Confirmed>();
  const saidOf = heardToHaveHappened();
  for (const event of events) {
    const said = saidOf(event);
    if (said !== null) raws.set(said.call_id, said.result);
    if (event.type === 'step_observed' || event.type === 'call_reconciled') raws.set(event.call_id, event.raw);
    if (event.type === 'step_verified') confirmed.set(event.call_id, event.confirmed);
    if (event.type !== 'step_committed' || event.evidence_id !== evidenceId) continue;
    return confirmedPart(raws.get(event.call_id) ?? null, confirmed.get(event.call_id) ?? 'all');
  }
  return undefined;
}
