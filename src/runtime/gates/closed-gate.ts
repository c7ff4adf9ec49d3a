import { findOpenLanes, type RunState } from '../../kernel/index.ts';
import type { EventOf } from '../../model/events/event.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { Fault } from '../../model/fault/fault.ts';
import { GATE_DECISION_RULES } from '../../model/gate/gate.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { GateRow } from '../../ports/journal/rows.ts';
import { gateNotFound } from '../../session/import-note.ts';

type Decided = EventOf<'gate_decided'>;

/** The fault codes of a second decision on the same gate, depending on how far the run has progressed. */
const TOO_LATE: ReadonlySet<string> = new Set(['gate_closed', 'session_terminal']);

/** The status of a gate: open, or closed by a decision, by time, or because the run no longer needs it. */
export interface GateStanding {
  readonly gate: GateRow;
  /** The decision that closed the gate; null if there is none, or if more approvals are needed. */
  readonly decided: {
    readonly decision: Decided['decision'];
    readonly by: string;
    readonly at: number;
    readonly reason: string;
  } | null;
}

/** The statuses that a decision gives a gate. `expired` and `open` are not among them. */
const CLOSED_BY_DECISION: ReadonlySet<GateRow['status'] | null> = new Set(
  Object.values(GATE_DECISION_RULES).map(({ closes }) => closes),
);

const PAST: Readonly<Record<Decided['decision'], string>> = {
  approve: 'approved',
  reject: 'rejected',
  edit: 'edited',
  request_info: 'asked about',
};

/** Reads the status of a gate. Throws `gate_not_found` for an unknown id; gates of imported runs are not stored. */
export async function gateStanding(journal: Journal, gateId: string): Promise<GateStanding> {
  const [gate] = await journal.gates({ gate: gateId, limit: 1 });
  if (gate === undefined) throw await gateNotFound(journal, gateId);
  if (!CLOSED_BY_DECISION.has(gate.status)) return { gate, decided: null };
  const decided = await lastDecision(journal, gate);
  const closedIt = decided !== null && GATE_DECISION_RULES[decided.decision].closes === gate.status;
  return { gate, decided: closedIt ? decided : null };
}

async function lastDecision(journal: Journal, { gate_id, session_id }: GateRow): Promise<GateStanding['decided']> {
  const decided = (await journal.load(session_id))
    .flatMap(frameEvents)
    .findLast((event): event is Decided => event.type === 'gate_decided' && event.gate_id === gate_id);
  return decided === undefined
    ? null
    : { decision: decided.decision, by: decided.approver, at: decided.at, reason: decided.reason };
}

/**
 * Replaces a refusal at a closed gate with one that says who decided it, how and when, or that it expired. An expired
 * gate keeps the code of the refusal, because the end of the run caused it.
 */
export async function explainClosed(journal: Journal, gateId: string, refusal: unknown): Promise<unknown> {
  if (!Fault.is(refusal) || !TOO_LATE.has(refusal.code)) return refusal;
  const standing = await gateStanding(journal, gateId);
  const what = describeClosing(standing);
  if (what === null) return refusal;
  const code = standing.gate.status === 'expired' ? refusal.code : 'gate_closed';
  return new Fault(code, `gate ${gateId} ${what}`, { cause: refusal });
}

/** Returns null for a gate that is open or was closed with its run: the run's own ending says more. */
function describeClosing({ gate: { status, expires_at }, decided }: GateStanding): string | null {
  if (status === 'expired') return `expired undecided; it was open until ${timeOf(expires_at)}`;
  if (decided === null) return null;
  return `was already ${PAST[decided.decision]} by ${decided.by} at ${timeOf(decided.at)} (${JSON.stringify(decided.reason)})`;
}

const timeOf = (ms: number): string => new Date(ms).toISOString();

/** The name of the gate that a session waits for: its own, or the first one in its lanes. Null if there is none. */
export function waitedGate(state: RunState): string | null {
  if (state.session.status !== 'awaiting_gate') return null;
  const inLanes = findOpenLanes(state).flatMap(({ waits }) => waits?.gates ?? []);
  return (state.people.gates[0] ?? inLanes[0])?.name ?? null;
}
