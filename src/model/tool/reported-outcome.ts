import type { RunEvent } from '../events/event.ts';
import type { Json } from '../json/json.ts';

/** A call whose answer was lost, with the result that a person reported for it. */
export interface ReportedOutcome {
  readonly call_id: string;
  readonly result: Json;
  readonly by: string;
}

/**
 * Returns a reader for the events of one run, in order. An `escalation_decided` event does not name the call, so the
 * reader remembers the call in doubt from the preceding `run_escalated`.
 */
export function reportedOutcomeReader(): (event: RunEvent) => ReportedOutcome | null {
  let inDoubt: string | null = null;
  return (event) => {
    if (event.type === 'run_escalated') {
      const { reason, detail } = event.stop;
      const callId = reason === 'call_in_doubt' ? detail?.['call_id'] : null;
      inDoubt = typeof callId === 'string' ? callId : null;
    }
    if (event.type !== 'escalation_decided' || event.happened === undefined || inDoubt === null) return null;
    return { call_id: inDoubt, result: event.happened.result, by: event.by };
  };
}
