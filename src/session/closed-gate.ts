import type { EventOf, RunEvent } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { Journal } from '../ports/journal.ts';
import type { GateRow } from '../ports/journal-rows.ts';
import { gateNotHere } from './imported.ts';

type Decided = EventOf<'gate_decided'>;

/** Refusals that a second answer to one gate meets, whatever the run has done since the first. */
const TOO_LATE: ReadonlySet<string> = new Set(['gate_closed', 'session_terminal']);

/** How a gate stands: still open, or closed by somebody's word, by time, or because the run needs it no more. */
export interface GateStanding {
  readonly gate: GateRow;
  /** The last word on it. Null where nobody has decided, and while more people have to. */
  readonly decided: {
    readonly decision: Decided['decision'];
    readonly by: string;
    readonly at: number;
    readonly reason: string;
  } | null;
}

/** Whose word closes a gate how: one whose arguments were edited makes room for another that shows the new ones. */
const CLOSED_BY: ReadonlyMap<GateRow['status'], Decided['decision']> = new Map([
  ['approved', 'approve'],
  ['rejected', 'reject'],
  ['withdrawn', 'edit'],
]);

/** `gate_not_found` for one that never was; one of an imported run is not kept here. */
export async function gateStanding(journal: Journal, gateId: string): Promise<GateStanding> {
  const [gate] = await journal.gates({ gate: gateId, limit: 1 });
  if (gate === undefined) throw await gateNotHere(journal, gateId);
  const said = CLOSED_BY.get(gate.status);
  if (said === undefined) return { gate, decided: null };
  const decided = await lastWord(journal, gate);
  return { gate, decided: decided?.decision === said ? decided : null };
}

async function lastWord(journal: Journal, { gate_id, session_id }: GateRow): Promise<GateStanding['decided']> {
  const said = (await journal.load(session_id))
    .flatMap(({ events }) => JSON.parse(events) as RunEvent[])
    .findLast((event): event is Decided => event.type === 'gate_decided' && event.gate_id === gate_id);
  return said === undefined ? null : { decision: said.decision, by: said.approver, at: said.at, reason: said.reason };
}

/**
 * Whoever answers a gate that is closed is told what became of it: who decided, how and when, or that nobody did.
 * Where nobody did, it is the run's own end that stands in the way, and the refusal keeps its code.
 */
export async function explainClosed(journal: Journal, gateId: string, refusal: unknown): Promise<unknown> {
  if (!Fault.is(refusal) || !TOO_LATE.has(refusal.code)) return refusal;
  const standing = await gateStanding(journal, gateId);
  const what = whatBecameOf(standing);
  if (what === null) return refusal;
  const code = standing.gate.status === 'expired' ? refusal.code : 'gate_closed';
  return new Fault(code, `gate ${gateId} ${what}`, { cause: refusal });
}

/** Null for a gate that is open, or that went away with its run: how the run ended says more. */
function whatBecameOf({ gate: { status, expires_at }, decided }: GateStanding): string | null {
  if (status === 'expired') return `expired undecided; it was open until ${timeOf(expires_at)}`;
  if (decided === null) return null;
  const how = decided.decision === 'edit' ? 'edited' : status;
  return `was already ${how} by ${decided.by} at ${timeOf(decided.at)} (${JSON.stringify(decided.reason)})`;
}

const timeOf = (ms: number): string => new Date(ms).toISOString();
