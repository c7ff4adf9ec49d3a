import type { RunEvent } from '../../model/events/event.ts';
import type { Frame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { Fault } from '../../model/fault/fault.ts';
import { decisionsOf } from '../../model/gate/recorded-decision.ts';
import type { AlteredEvent } from '../../model/record/altered-event.ts';
import type { Proofs, UnprovenCause } from '../../ports/proofs.ts';
import { checkDecisions, type UnprovenDecision } from '../../session/proofs/check-decisions.ts';

/** A recorded decision that no enrolled key proves. It permits nothing more. */
export interface UnprovenRecord {
  readonly run_id: string;
  /** The type of the event that records the decision, such as `gate_decided`. */
  readonly event: string;
  /** The person whom the record names. */
  readonly by: string;
  readonly at: number;
  readonly cause: UnprovenCause;
  readonly message: string;
}

/** The checked decisions of people in recorded runs; `not checked` where no keys are enrolled. */
export type ProofReport =
  | 'not checked'
  | {
      readonly checked: number;
      /** Empty if every decision is proven. */
      readonly unproven: readonly UnprovenRecord[];
      /** The runs whose record was altered, so that their decisions prove nothing. */
      readonly altered: readonly AlteredRun[];
    };

/** A run with a recorded event that does not follow from the events before it. */
export interface AlteredRun extends AlteredEvent {
  readonly run_id: string;
}

/** Checks the recorded decisions of a run. A replay has already derived the run (`done`). */
export async function proofReport(
  proofs: Proofs | undefined,
  frames: readonly Frame[],
  derivation: 'done' | 'needed' = 'done',
): Promise<ProofReport> {
  const found = proofs === undefined ? null : await checkDecisions(proofs, frames.flatMap(frameEvents));
  if (proofs === undefined || found === null) return 'not checked';
  const run_id = frames[0]?.session ?? '';
  const altered = derivation === 'done' ? null : await alteredIn(proofs, frames);
  return {
    checked: found.checked,
    unproven: found.unproven.map((each) => unprovenRecord(run_id, each)),
    altered: altered === null ? [] : [{ run_id, ...altered }],
  };
}

/** The first altered event of a run. Null also if the rules of the run are not here, because then it cannot be derived. */
async function alteredIn(proofs: Proofs, frames: readonly Frame[]): Promise<AlteredEvent | null> {
  try {
    return await proofs.firstAltered(frames);
  } catch (error) {
    if (Fault.is(error) && error.code === 'version_changed') return null;
    throw error;
  }
}

function unprovenRecord(run_id: string, { cause, message, decision }: UnprovenDecision): UnprovenRecord {
  const { by, at, event } = decision;
  return { run_id, event: event.type, by, at, cause, message };
}

/** The reports of several runs as one. */
export function joinReports(reports: readonly ProofReport[]): ProofReport {
  const checked = reports.filter((report) => report !== 'not checked');
  if (checked.length === 0 && reports.length > 0) return 'not checked';
  return {
    checked: checked.reduce((sum, report) => sum + report.checked, 0),
    unproven: checked.flatMap(({ unproven }) => unproven),
    altered: checked.flatMap(({ altered }) => altered),
  };
}

/**
 * The events of a run for an audit of its calls, without unproven decisions and without all decisions after the first
 * altered event. Decisions from before the first key stay, because no key could have signed them.
 */
export async function provenEvents(proofs: Proofs | undefined, frames: readonly Frame[]): Promise<readonly RunEvent[]> {
  const held = frames.map((frame) => ({ seq: frame.seq, events: frameEvents(frame) }));
  const events = held.flatMap((frame) => frame.events);
  const found = proofs === undefined ? null : await checkDecisions(proofs, events);
  if (proofs === undefined || found === null) return events;
  const forged = new Set(
    found.unproven.filter(({ cause }) => cause !== 'before_keys').map(({ decision }) => decision.event),
  );
  const from = (await alteredIn(proofs, frames))?.frame ?? Number.POSITIVE_INFINITY;
  const late = new Set(held.flatMap((frame) => (frame.seq >= from ? frame.events : [])));
  for (const { event } of decisionsOf(events)) if (late.has(event)) forged.add(event);
  return events.flatMap((event) => (forged.has(event) ? withoutPermission(event) : event));
}

/** A call that was cleared by a standing grant was cleared, but by nothing that permits it. */
function withoutPermission(event: RunEvent): readonly RunEvent[] {
  if (event.type !== 'step_cleared') return [];
  const { standing: _, ...cleared } = event;
  return [cleared];
}
