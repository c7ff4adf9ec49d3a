import { type Ambit, Fault, type InboxItem } from '../../index.ts';
import { asTyped } from '../as-typed.ts';
import { closedWords } from '../views/gate-standing.ts';

/** Every gate that waits, in the order in which they are read. */
export async function openGates(runtime: Ambit, tenant: string | null = null): Promise<readonly InboxItem[]> {
  const { groups, deferred } = await runtime.pending(tenant === null ? {} : { tenant });
  return [...groups.flatMap(({ items }) => items), ...deferred];
}

export async function findOpen(runtime: Ambit, gateId: string): Promise<InboxItem | null> {
  return (await openGates(runtime)).find(({ gate }) => gate.gate_id === gateId) ?? null;
}

/** The gate, to be decided. Whoever comes too late is told what became of it. */
export async function openGate(runtime: Ambit, gateId: string): Promise<InboxItem> {
  const found = await findOpen(runtime, gateId);
  if (found !== null) return found;
  const standing = await runtime.gate(gateId);
  const { session_id } = standing.gate;
  throw new Fault(
    'gate_closed',
    `gate ${gateId} ${closedWords(standing)}; see ${asTyped(`ambit sessions show ${session_id}`)}`,
  );
}

/** So many characters of a hash tell two packets apart that one person looks at. */
const PREFIX_MIN = 'sha256:'.length + 12;

/** The packet that somebody names has to be the one that is shown now, whole or by its first characters. */
export function packetNamed(shown: { readonly packet_hash: string }, named: string): string {
  const { packet_hash } = shown;
  const full = named.startsWith('sha256:') ? named : `sha256:${named}`;
  if (full.length < PREFIX_MIN) {
    throw new Fault('input_invalid', `--packet ${named}: give at least 12 characters of what stands behind sha256:`);
  }
  if (packet_hash.startsWith(full)) return packet_hash;
  throw new Fault('grant_stale', `what is shown now is ${packet_hash}, not ${named}: look at it again`);
}
