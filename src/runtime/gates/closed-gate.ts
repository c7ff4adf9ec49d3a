import { findOpenLanes, gateProgress, type RunState } from '../../kernel/index.ts';
import type { EventOf, RunEvent } from '../../model/events/event.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { Fault } from '../../model/fault/fault.ts';
import { ANYBODY_ELSE, GATE_DECISION_RULES } from '../../model/gate/gate.ts';
import { countApproval, startTally, tallyProgress } from '../../model/gate/gate-tally.ts';
import { type GateProgress, openedGates } from '../../model/gate/gate-terms.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { GateRow } from '../../ports/journal/rows.ts';
import { gateNotFound } from '../../session/import-note.ts';

type Decided = EventOf<'gate_decided'>;

/** The fault codes of a second decision on the same gate, depending on how far the run has progressed. */
const TOO_LATE: ReadonlySet<string> = new Set(['gate_closed', 'session_terminal']);

/** The status of a gate: open, or closed by a decision, by time, or because the run no longer needs it. */
export interface GateStanding {
  readonly gate: GateRow;
  /** Every gate of the call, with the person who decided it. */
  readonly gates: readonly GateProgress[];
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
  const events = (await journal.load(gate.session_id)).flatMap(frameEvents);
  const gates = recordedProgress(events, gate);
  if (!CLOSED_BY_DECISION.has(gate.status)) return { gate, gates, decided: null };
  const decided = lastDecision(events, gate);
  const closedIt = decided !== null && GATE_DECISION_RULES[decided.decision].closes === gate.status;
  return { gate, gates, decided: closedIt ? decided : null };
}

function lastDecision(events: readonly RunEvent[], { gate_id }: GateRow): GateStanding['decided'] {
  const decided = events.findLast(
    (event): event is Decided => event.type === 'gate_decided' && event.gate_id === gate_id,
  );
  return decided === undefined
    ? null
    : { decision: decided.decision, by: decided.approver, at: decided.at, reason: decided.reason };
}

/** Each gate of a request with its decision, counted from the events of its run. */
export function recordedProgress(events: readonly RunEvent[], { gate_id, name }: GateRow): readonly GateProgress[] {
  let tally = startTally([{ name, deciders: ANYBODY_ELSE }]);
  for (const event of events) {
    if (event.type === 'gate_opened' && event.gate_id === gate_id) tally = startTally(openedGates(event));
    if (event.type !== 'gate_decided' || event.gate_id !== gate_id) continue;
    if (GATE_DECISION_RULES[event.decision].consents) tally = countApproval(tally, event);
  }
  return tallyProgress(tally);
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
  const [open] = state.people.gates;
  return open === undefined
    ? (inLanes[0]?.name ?? null)
    : (gateProgress(open).find((gate) => gate.decided_by === null)?.name ?? open.name);
}
