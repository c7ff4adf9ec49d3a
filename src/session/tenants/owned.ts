import type { RunEvent } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import type { Identity } from '../../model/identity.ts';
import type { MemoryProposal } from '../../model/memory.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal.ts';
import { importedRunOf } from '../imported.ts';
import { isKeptBy } from '../state/kept-text.ts';

/** Whose things may be looked at, and where they are kept. */
export interface Tenancy {
  readonly identity: Identity;
  readonly journal: Journal;
  readonly clock: Clock;
}

/** One answer for what belongs to others, what is nobody's and what never was: whether it exists is an answer about it. */
export function notYours(): Fault {
  return new Fault('permission_denied', 'there is nothing of this name within the reach of this identity');
}

/** An identity is good until it expires, however long ago its door was opened. */
export function assertCurrent({ identity, clock }: Tenancy): void {
  if (clock.nowMs() >= identity.expires_at) throw new Fault('permission_denied', 'the identity has expired');
}

export async function assertOwnRun(tenancy: Tenancy, runId: unknown): Promise<void> {
  assertCurrent(tenancy);
  const { journal, identity } = tenancy;
  if (typeof runId !== 'string') throw notYours();
  const found = await journal.list({ tenant: identity.tenant_id, session: runId, limit: 1 });
  if (found.length === 0) throw notYours();
}

export async function assertOwnGate(tenancy: Tenancy, gateId: unknown): Promise<void> {
  assertCurrent(tenancy);
  const { journal, identity } = tenancy;
  if (typeof gateId !== 'string') throw notYours();
  const found = await journal.gates({ tenant: identity.tenant_id, gate: gateId, limit: 1 });
  // Of an imported run no gate is in the list; whose it is follows from whose run that is.
  if (found.length === 0) await assertOwnRun(tenancy, await importedRunOf(journal, gateId));
}

export async function assertOwnPacket(tenancy: Tenancy, packetHash: unknown): Promise<void> {
  assertCurrent(tenancy);
  const { journal, identity } = tenancy;
  if (typeof packetHash !== 'string') throw notYours();
  const found = await journal.gates({ tenant: identity.tenant_id, packet: packetHash, limit: 1 });
  if (found.length === 0) throw notYours();
}

/** The text at an address that this run itself has put there. */
export async function ownDocument(tenancy: Tenancy, runId: string, address: string): Promise<string> {
  if (!isKeptBy(await ownEvents(tenancy, runId), address)) throw notYours();
  return await tenancy.journal.blob(address as `sha256:${string}`);
}

/** What a run has nominated for memory under a key. */
export async function ownMemory(tenancy: Tenancy, runId: string, key: string): Promise<readonly MemoryProposal[]> {
  const nominated = (await ownEvents(tenancy, runId)).flatMap((event) =>
    event.type === 'memory_proposed' ? event.proposals.filter((proposal) => proposal.key === key) : [],
  );
  if (nominated.length === 0) throw notYours();
  return nominated;
}

async function ownEvents(tenancy: Tenancy, runId: string): Promise<readonly RunEvent[]> {
  await assertOwnRun(tenancy, runId);
  return (await tenancy.journal.load(runId)).flatMap(({ events }) => JSON.parse(events) as RunEvent[]);
}
