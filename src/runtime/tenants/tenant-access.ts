import type { RunEvent } from '../../model/events/event.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import type { MemoryProposal } from '../../model/evidence/memory.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Identity } from '../../model/run/identity.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import { importedRunOf } from '../../session/import-note.ts';
import { hasStored } from '../sessions/shown-evidence.ts';

/** A tenant's identity, and the journal and clock to check it against. */
export interface Tenancy {
  readonly identity: Identity;
  readonly journal: Journal;
  readonly clock: Clock;
}

/** The same fault for foreign, unowned and unknown ids, so that it does not reveal which ids exist. */
export function noAccess(): Fault {
  return new Fault('permission_denied', 'there is nothing with this id that this identity may access');
}

/** Rejects an expired identity on every call, not only when its runtime was created. */
export function assertCurrent({ identity, clock }: Tenancy): void {
  if (clock.nowMs() >= identity.expires_at) throw new Fault('permission_denied', 'the identity has expired');
}

export async function assertOwnRun(tenancy: Tenancy, runId: unknown): Promise<void> {
  assertCurrent(tenancy);
  const { journal, identity } = tenancy;
  if (typeof runId !== 'string') throw noAccess();
  const found = await journal.list({ tenant: identity.tenant_id, session: runId, limit: 1 });
  if (found.length === 0) throw noAccess();
}

export async function assertOwnGate(tenancy: Tenancy, gateId: unknown): Promise<void> {
  assertCurrent(tenancy);
  const { journal, identity } = tenancy;
  if (typeof gateId !== 'string') throw noAccess();
  const found = await journal.gates({ tenant: identity.tenant_id, gate: gateId, limit: 1 });
  // Gates of imported runs are not stored, so the owner of the run decides.
  if (found.length === 0) await assertOwnRun(tenancy, await importedRunOf(journal, gateId));
}

export async function assertOwnPacket(tenancy: Tenancy, packetHash: unknown): Promise<void> {
  assertCurrent(tenancy);
  const { journal, identity } = tenancy;
  if (typeof packetHash !== 'string') throw noAccess();
  const found = await journal.gates({ tenant: identity.tenant_id, packet: packetHash, limit: 1 });
  if (found.length === 0) throw noAccess();
}

/** The text at an address that this run itself stored. */
export async function ownDocument(tenancy: Tenancy, runId: string, address: string): Promise<string> {
  if (!hasStored(await ownEvents(tenancy, runId), address)) throw noAccess();
  return await tenancy.journal.blob(address as `sha256:${string}`);
}

/** The memory proposals of a run under a key. */
export async function ownMemory(tenancy: Tenancy, runId: string, key: string): Promise<readonly MemoryProposal[]> {
  const nominated = (await ownEvents(tenancy, runId)).flatMap((event) =>
    event.type === 'memory_proposed' ? event.proposals.filter((proposal) => proposal.key === key) : [],
  );
  if (nominated.length === 0) throw noAccess();
  return nominated;
}

async function ownEvents(tenancy: Tenancy, runId: string): Promise<readonly RunEvent[]> {
  await assertOwnRun(tenancy, runId);
  return (await tenancy.journal.load(runId)).flatMap(frameEvents);
}
