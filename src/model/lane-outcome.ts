import type { Json } from './json.ts';
import { LaneEnvelope, type LaneStatus } from './lane.ts';
import type { ToolOutcome } from './tool.ts';

/** How a lane ended, in the words that calls come back in. */
export const LANE_OUTCOMES: Readonly<Record<LaneStatus, ToolOutcome>> = Object.freeze({
  completed: 'ok',
  failed: 'error',
  expired: 'timeout',
  rejected: 'denied',
  cancelled: 'cancelled',
});

/** The lane that a call went to. */
export interface LaneCall {
  readonly lane_id: string;
  readonly run_id: string;
  readonly span_id: string;
}

/** What an envelope says for whoever reads records: how the call came back and, where it is one, of which lane. */
export function readOutcome(envelope: Json): { readonly outcome: ToolOutcome; readonly lane: LaneCall | null } {
  const read = LaneEnvelope.safeParse(envelope);
  if (!read.success) return { outcome: 'malformed', lane: null };
  const { lane_id, run_id, span_id, status } = read.data;
  return { outcome: LANE_OUTCOMES[status], lane: { lane_id, run_id, span_id } };
}
