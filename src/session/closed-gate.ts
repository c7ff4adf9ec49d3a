import type { EventOf, RunEvent } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { Journal } from '../ports/journal.ts';
import type { GateRow } from '../ports/journal-rows.ts';

type Decided = EventOf<'gate_decided'>;

/** Refusals that a second answer to one gate meets, whatever the run has done since the first. */
const TOO_LATE: ReadonlySet<string> = new Set(['gate_closed', 'session_terminal']);

/**
 * Whoever answers a gate that is closed is told what became of it: who decided, how and when, or that nobody did.
 * Where nobody did, it is the run's own end that stands in the way, and the refusal keeps its code.
 */
export async function explainClosed(journal: Journal, gateId: string, refusal: unknown): Promise<unknown> {
  if (!Fault.is(refusal) || !TOO_LATE.has(refusal.code)) return refusal;
  const [gate] = await journal.gates({ gate: gateId, limit: 1 });
  const what = gate === undefined ? null : await whatBecameOf(journal, gate);
  if (what === null) return refusal;
  const code = gate?.status === 'expired' ? refusal.code : 'gate_closed';
  return new Fault(code, `gate ${gateId} ${what}`, { cause: refusal });
}

/** Null for a gate that is open, or that went away with its run: how the run ended says more. */
async function whatBecameOf(journal: Journal, gate: GateRow): Promise<string | null> {
  const { gate_id, session_id, status, expires_at } = gate;
  if (status === 'expired') return `expired undecided; it was open until ${timeOf(expires_at)}`;
  if (status !== 'approved' && status !== 'rejected') return null;
  const decided = (await journal.load(session_id))
    .flatMap(({ events }) => JSON.parse(events) as RunEvent[])
    .findLast((event): event is Decided => event.type === 'gate_decided' && event.gate_id === gate_id);
  if (decided === undefined) return null;
  return `was already ${status} by ${decided.approver} at ${timeOf(decided.at)} (${JSON.stringify(decided.reason)})`;
}

const timeOf = (ms: number): string => new Date(ms).toISOString();
