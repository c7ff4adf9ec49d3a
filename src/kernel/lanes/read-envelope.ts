import type { BudgetCounters, Need } from '../../model/budget.ts';
import { Fault } from '../../model/fault.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { LaneEnvelope, type LaneResult, type LaneSeat } from '../../model/lane.ts';
import { LANE_OUTCOMES } from '../../model/lane-outcome.ts';
import { parse } from '../../model/parse.ts';
import { NO_COST } from '../../model/tool.ts';
import { NOTHING } from '../budget-account.ts';
import type { ObservedState } from '../state.ts';

/** What is taken from an envelope, and, where it is none, why. */
export type ReadEnvelope =
  | { readonly ok: true; readonly envelope: LaneEnvelope; readonly used: Need }
  | { readonly ok: false; readonly why: string };

/** The border between a lane and its parent: whatever does not fit, in its shape or in what it names, is no envelope. */
export function readEnvelope(value: Json, seat: LaneSeat): ReadEnvelope {
  try {
    const envelope = parse(LaneEnvelope, value, 'lane_envelope_invalid');
    const { lane_id, run_id, parent_run_id, span_id } = envelope;
    const same = lane_id === seat.lane_id && run_id === seat.run_id && span_id === seat.span_id;
    if (!same || parent_run_id !== seat.parent_run_id) return { ok: false, why: `it is not that of ${seat.lane_id}` };
    const strange = Object.keys(envelope.budget_used).filter((counter) => !Object.hasOwn(NOTHING, counter));
    if (strange.length > 0) return { ok: false, why: `it has spent ${strange.join(', ')}, which nobody counts` };
    const keys = envelope.results.map(({ key }) => key);
    if (new Set(keys).size !== keys.length) return { ok: false, why: 'it says two things under one key' };
    return { ok: true, envelope, used: envelope.budget_used as Partial<BudgetCounters> };
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return { ok: false, why: error.message };
  }
}

/** What the parent has observed by it. Whatever was done in the lane, only this has come out of it. */
export function observedFrom(read: ReadEnvelope, isStep: boolean): ObservedState {
  const nothing = { spent: NO_COST, confirmed: [] };
  if (!read.ok) {
    const lane = { status: 'unknown', trusted: false } as const;
    return { ...nothing, outcome: 'malformed', raw: null, detail: `lane_envelope_invalid: ${read.why}`, lane };
  }
  const { status, terminal_code, reason, results } = read.envelope;
  const detail = status === 'completed' ? '' : `${terminal_code}: ${reason}`;
  const raw = status === 'completed' ? answerOf(results, isStep) : null;
  const lane = { status, trusted: results.every(({ trusted }) => trusted) };
  return { ...nothing, outcome: LANE_OUTCOMES[status], raw, detail, lane };
}

/** One key for each result; a step that was worked on beside others has brought back what its tool did. */
function answerOf(results: readonly LaneResult[], isStep: boolean): Json {
  if (isStep) return results[0]?.value ?? null;
  const answer: Record<string, Json> = {};
  for (const { key, value } of results) answer[key] = value;
  return answer satisfies JsonObject;
}
