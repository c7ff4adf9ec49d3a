import type { RunEvent } from '../../model/event.ts';
import type { Json } from '../../model/json.ts';
import { storedAt } from '../../model/stored-answer.ts';

/**
 * Whether a run has itself put a text at this address: a packet it showed, or an answer too large for its journal. An
 * address that merely occurs in the run is not enough, because whoever writes arguments may know others'.
 */
export const isKeptBy = (events: readonly RunEvent[], address: string): boolean =>
  events.some((event) => keptBy(event) === address);

/** What people say names addresses, too; only what the run itself made counts. */
function keptBy(event: RunEvent): Json | undefined {
  switch (event.type) {
    case 'gate_opened':
    case 'question_asked':
    case 'run_escalated':
      return event.packet_hash;
    case 'step_observed':
    case 'answer_came_late':
    case 'call_reconciled':
      return storedAt(event.raw) ?? undefined;
    default:
      return undefined;
  }
}
