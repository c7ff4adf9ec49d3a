import type { BudgetCounters, Need } from '../../../model/budget/budget.ts';
import { Fault } from '../../../model/fault/fault.ts';
import type { Json, JsonObject } from '../../../model/json/json.ts';
import { parse } from '../../../model/json/parse.ts';
import { CALL_STEP } from '../../../model/plan/goal.ts';
import {
  type LaneContext,
  type LaneDoubt,
  LaneEnvelope,
  type LaneResult,
  type LaneStatus,
  type LaneWait,
} from '../../../model/run/lane.ts';
import { LANE_OUTCOMES } from '../../../model/run/lane-outcome.ts';
import type { SessionStatus } from '../../../model/run/session-status.ts';
import { NO_COST } from '../../../model/tool/tool.ts';
import { add, NOTHING } from '../../budget/account.ts';
import type { KernelEnv } from '../../env.ts';
import { assocGet } from '../../state/assoc.ts';
import type { ObservedState } from '../../state/call-state.ts';
import { callKey } from '../../state/call-state.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import { hasRule } from '../../state/rules.ts';
import type { Fact, RunState } from '../../state/run-state.ts';
import { vecGet, vecToArray } from '../../state/vec.ts';
import { settledBy } from '../call/doubt.ts';
import { committedFact } from '../evidence/committed.ts';
import { gateProgress } from '../gate/gate-parts.ts';
import { specOfCall } from '../plan/tools.ts';
import { doubtsOf } from './lane-context.ts';
import { findOpenLanes } from './open-lanes.ts';

/**
 * The envelope that an ended lane returns to its parent: status, results and spending, from the lane's state alone.
 * `returns` lists the evidence types that the parent asked for.
 */
export function laneEnvelope(env: KernelEnv, state: RunState, returns: readonly string[]): LaneEnvelope {
  const { laneContext, ending, budget, session } = state;
  if (laneContext === undefined || ending.terminal === null)
    throw impossibleEvent('an envelope of a lane that goes on', state);
  const doubts = openDoubts(env, state);
  const used: BudgetCounters | null = budget === null ? null : add(budget.used, budget.reserved);
  return {
    lane_id: laneContext.lane_id,
    run_id: state.id.runId,
    parent_run_id: laneContext.parent_run_id,
    span_id: laneContext.span_id,
    status: session.status as SessionStatus & LaneStatus,
    terminal_code: ending.terminal.code,
    reason: ending.terminal.reason,
    results: session.status === 'completed' ? resultsOf(state, returns) : [],
    transcripts: vecToArray(state.work.transcripts),
    budget_used: { ...used },
    loop_guard_trips: state.guard.trips,
    ...meteredIn(state),
    ...(doubts.length === 0 ? {} : { doubts }),
  };
}

function meteredIn(state: RunState): Pick<LaneEnvelope, 'metered'> {
  const { gpuMs: gpu_ms, humanReviews: human_reviews } = state.counters;
  if (gpu_ms + human_reviews === 0 || !hasRule(state, 'costs_recorded')) return {};
  return { metered: { gpu_ms, human_reviews } };
}

function resultsOf(state: RunState, returns: readonly string[]): readonly LaneResult[] {
  const { goal } = state.intake;
  if (goal?.call !== undefined) {
    const fact = committedFact(state, CALL_STEP);
    return fact === null ? [] : [resultOf(state, 'result', goal.call.tool, fact)];
  }
  return returns.flatMap((type) => {
    const evidence = Object.hasOwn(state.work.evidenceByType, type) ? state.work.evidenceByType[type] : undefined;
    const fact = evidence === undefined ? null : factOf(state, evidence);
    return fact === null ? [] : [resultOf(state, type, type, fact)];
  });
}

const resultOf = ({ id }: RunState, key: string, type: string, { value, evidenceId, trusted }: Fact): LaneResult => ({
  key,
  type,
  value,
  evidence_refs: [`${id.runId}/${evidenceId}`],
  trusted,
});

/** The fact with this evidence id, of this plan or an earlier one. */
function factOf({ work }: RunState, evidenceId: string): Fact | null {
  for (let index = 0; index < work.progress.size; index += 1) {
    const fact = vecGet(work.progress, index)?.fact;
    if (fact?.evidenceId === evidenceId) return fact;
  }
  const step = assocGet(work.carried.origins, evidenceId);
  return step === undefined ? null : (assocGet(work.carried.steps, step)?.fact ?? null);
}

/** Calls that may have had their effect, including one in flight when the lane ended. */
function openDoubts(env: KernelEnv, state: RunState): readonly LaneDoubt[] {
  const known = doubtsOf(state);
  const { current } = state;
  if (current?.call == null || current.rung !== 'attempted' || !specOfCall(env, current).side_effect) return known;
  const call = callKey(current.tool, current.argsHash);
  if (known.some((doubt) => doubt.call === call)) return known;
  const { key, dispatchBefore } = current.call;
  return [...known, { call, key, since: dispatchBefore - env.limits.dispatchWindowMs, until: settledBy(current.call) }];
}

/** The reason why a lane waits, with the open gates of its own lanes. Null if it does not wait for people. */
export function laneWait(state: RunState): LaneWait | null {
  const { people, session, id } = state;
  if (session.status !== 'awaiting_gate' && session.status !== 'paused') return null;
  const ownGates = people.gates.map((gate) => ({
    gate_id: gate.gateId,
    name: gate.name,
    step_id: gate.stepId,
    packet_hash: gate.packetHash,
    expires_at: gate.expiresAt,
    ...(gate.gates.length > 1 ? { gates: gateProgress(gate) } : {}),
    run_id: id.runId,
  }));
  const laneGates = findOpenLanes(state).flatMap(({ waits }) => waits?.gates ?? []);
  const gates = [...ownGates, ...laneGates];
  if (gates.length > 0) return { gates, cause: 'gate' };
  if (people.question !== null) return { gates, cause: 'question' };
  return { gates, cause: people.escalation === null ? 'paused' : 'escalated' };
}

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
