import type { BudgetCounters, Need } from '../../../model/budget/budget.ts';
import { Fault } from '../../../model/fault/fault.ts';
import type { Json, JsonObject } from '../../../model/json/json.ts';
import { parse } from '../../../model/json/parse.ts';
import { type LaneContext, LaneEnvelope, type LaneResult } from '../../../model/run/lane.ts';
import { LANE_OUTCOMES } from '../../../model/run/lane-outcome.ts';
import { NO_COST } from '../../../model/tool/tool.ts';
import { NOTHING } from '../../budget/account.ts';
import type { ObservedState } from '../../state/run-state.ts';

/** A parsed envelope, or the reason why it is invalid. */
export type ReadEnvelope =
  | { readonly ok: true; readonly envelope: LaneEnvelope; readonly used: Need }
  | { readonly ok: false; readonly why: string };

/** Parses a lane's envelope and rejects one with the wrong shape, lane, counters or keys. */
export function readEnvelope(value: Json, context: LaneContext): ReadEnvelope {
  try {
    const envelope = parse(LaneEnvelope, value, 'lane_envelope_invalid');
    const { lane_id, run_id, parent_run_id, span_id } = envelope;
    const isSameLane = lane_id === context.lane_id && run_id === context.run_id && span_id === context.span_id;
    if (!isSameLane || parent_run_id !== context.parent_run_id)
      return { ok: false, why: `it is not that of ${context.lane_id}` };
    const unknownCounters = Object.keys(envelope.budget_used).filter((counter) => !Object.hasOwn(NOTHING, counter));
    if (unknownCounters.length > 0)
      return { ok: false, why: `it has spent ${unknownCounters.join(', ')}, which nobody counts` };
    const keys = envelope.results.map(({ key }) => key);
    if (new Set(keys).size !== keys.length) return { ok: false, why: 'it says two things under one key' };
    return { ok: true, envelope, used: envelope.budget_used as Partial<BudgetCounters> };
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return { ok: false, why: error.message };
  }
}

/** The observation that the parent makes of the envelope. Nothing else leaves the lane. */
export function observedFrom(read: ReadEnvelope, isStep: boolean): ObservedState {
  const base = { spent: NO_COST, confirmed: [] };
  if (!read.ok) {
    const lane = { status: 'unknown', trusted: false } as const;
    return { ...base, outcome: 'malformed', raw: null, detail: `lane_envelope_invalid: ${read.why}`, lane };
  }
  const { status, terminal_code, reason, results } = read.envelope;
  const detail = status === 'completed' ? '' : `${terminal_code}: ${reason}`;
  const raw = status === 'completed' ? answerOf(results, isStep) : null;
  const lane = { status, trusted: results.every(({ trusted }) => trusted) };
  return { ...base, outcome: LANE_OUTCOMES[status], raw, detail, lane };
}

/** An object with one field per result. For a step lane, the result of its tool. */
function answerOf(results: readonly LaneResult[], isStep: boolean): Json {
  if (isStep) return results[0]?.value ?? null;
  const answer: Record<string, Json> = {};
  for (const { key, value } of results) answer[key] = value;
  return answer satisfies JsonObject;
}
