import type { GateStanding, InboxItem } from '../../approvals.ts';
import { type Ambit, Fault } from '../../index.ts';
import { formatHint } from '../cli-fault.ts';
import { escapeJson, escapeText } from '../terminal/escape.ts';
import { formatInstant } from '../views/format.ts';

/** Lists the open gates in inbox order. */
export async function listOpenGates(runtime: Ambit, tenant: string | null = null): Promise<readonly InboxItem[]> {
  const { groups, deferred } = await runtime.gates.list(tenant === null ? {} : { tenant });
  return [...groups.flatMap(({ items }) => items), ...deferred];
}

export async function findOpenGate(runtime: Ambit, gateId: string): Promise<InboxItem | null> {
  return (await listOpenGates(runtime)).find(({ gate }) => gate.gate_id === gateId) ?? null;
}

/** Returns an open gate. The fault for a closed gate says how it was decided. */
export async function requireOpenGate(runtime: Ambit, gateId: string): Promise<InboxItem> {
  const found = await findOpenGate(runtime, gateId);
  if (found !== null) return found;
  const standing = await runtime.gates.get(gateId);
  const { session_id } = standing.gate;
  throw new Fault(
    'gate_closed',
    `gate ${gateId} ${describeClosedGate(standing)}; see ${formatHint(`ambit sessions show ${session_id}`)}`,
  );
}

const PAST: Readonly<Record<NonNullable<GateStanding['decided']>['decision'], string>> = {
  approve: 'approved',
  reject: 'rejected',
  edit: 'edited',
  request_info: 'asked about',
};

/** Describes the end of a gate: `was approved by bo at … : "within policy"`. */
export function describeClosedGate({ gate: { status, expires_at }, decided }: GateStanding): string {
  if (decided !== null) {
    return `was ${PAST[decided.decision]} by ${escapeText(decided.by)} at ${formatInstant(decided.at)}: ${escapeJson(decided.reason)}`;
  }
  // A gate that expired while no process was running still has the status open.
  if (status === 'expired' || status === 'open') return `expired without a decision at ${formatInstant(expires_at)}`;
  return 'was withdrawn because its run no longer needs it';
}

/** The shortest accepted prefix of a packet hash. */
const PREFIX_MIN = 'sha256:'.length + 12;

/** Returns the full hash of the current packet if `--packet` names that packet, in full or by a prefix. */
export function matchPacketHash(shown: { readonly packet_hash: string }, typed: string): string {
  const { packet_hash } = shown;
  const full = typed.startsWith('sha256:') ? typed : `sha256:${typed}`;
  if (full.length < PREFIX_MIN) {
    throw new Fault('input_invalid', `--packet ${typed} is too short: give at least 12 characters after sha256:`);
  }
  if (packet_hash.startsWith(full)) return packet_hash;
  throw new Fault('grant_stale', `the current packet is ${packet_hash}, not ${typed}: read the current one`);
}
