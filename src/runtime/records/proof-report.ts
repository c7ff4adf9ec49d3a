import type { RunEvent } from '../../model/events/event.ts';
import type { Frame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
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
    };

/** Checks the recorded decisions of a run. */
export async function proofReport(proofs: Proofs | undefined, frames: readonly Frame[]): Promise<ProofReport> {
  const found = proofs === undefined ? null : await checkDecisions(proofs, frames.flatMap(frameEvents));
  if (found === null) return 'not checked';
  const run_id = frames[0]?.session ?? '';
  return { checked: found.checked, unproven: found.unproven.map((each) => unprovenRecord(run_id, each)) };
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
  };
}

/**
 * The events of a run without the permissions that nothing proves, for an audit of its calls. Decisions from before the
 * first key stay: their people were identified as it was usual then.
 */
export async function provenEvents(
  proofs: Proofs | undefined,
  events: readonly RunEvent[],
): Promise<readonly RunEvent[]> {
  if (proofs === undefined) return events;
  const { unproven = [] } = (await checkDecisions(proofs, events)) ?? {};
  const forged = new Set(unproven.filter(({ cause }) => cause !== 'before_keys').map(({ decision }) => decision.event));
  return events.flatMap((event) => (forged.has(event) ? withoutPermission(event) : event));
}

/** A call that was cleared by a standing grant was cleared, but by nothing that permits it. */
function withoutPermission(event: RunEvent): readonly RunEvent[] {
  if (event.type !== 'step_cleared') return [];
  const { standing: _, ...cleared } = event;
  return [cleared];
}
