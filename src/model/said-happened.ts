import type { RunEvent } from './event.ts';
import type { Json } from './json.ts';

/** A call whose answer was lost, and what a person who looked into it says that it came to. */
export interface SaidHappened {
  readonly call_id: string;
  readonly result: Json;
  readonly by: string;
}

/**
 * Listens to the events of one run, in their order. What somebody decided does not name the call: it is the one in doubt
 * that the run was handed over for.
 */
export function heardToHaveHappened(): (event: RunEvent) => SaidHappened | null {
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
