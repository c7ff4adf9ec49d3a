import type { Json } from '../json/json.ts';
import type { ToolOutcome } from '../tool/tool.ts';
import { LaneEnvelope, type LaneStatus } from './lane.ts';

/** The tool outcome for each lane status. */
export const LANE_OUTCOMES: Readonly<Record<LaneStatus, ToolOutcome>> = Object.freeze({
  completed: 'ok',
  failed: 'error',
  expired: 'timeout',
  rejected: 'denied',
  cancelled: 'cancelled',
});

/** The lane opened by a call. */
export interface LaneCall {
  readonly lane_id: string;
  readonly run_id: string;
  readonly span_id: string;
}

/** Reads the outcome of a call, and its lane if it has one, from a recorded envelope. */
export function readOutcome(envelope: Json): { readonly outcome: ToolOutcome; readonly lane: LaneCall | null } {
  const read = LaneEnvelope.safeParse(envelope);
  if (!read.success) return { outcome: 'malformed', lane: null };
  const { lane_id, run_id, span_id, status } = read.data;
  return { outcome: LANE_OUTCOMES[status], lane: { lane_id, run_id, span_id } };
}
