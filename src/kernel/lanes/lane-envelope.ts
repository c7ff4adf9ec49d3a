import type { BudgetCounters } from '../../model/budget.ts';
import type { LaneDoubt, LaneEnvelope, LaneResult, LaneStatus, LaneWait } from '../../model/lane.ts';
import type { SessionStatus } from '../../model/session-status.ts';
import { CALL_STEP } from '../../model/single-call.ts';
import { assocGet } from '../assoc.ts';
import { add } from '../budget-account.ts';
import { committedFact } from '../committed-fact.ts';
import { overBy } from '../doubt.ts';
import type { KernelEnv } from '../env.ts';
import { impossible } from '../reaction.ts';
import { specOfCall } from '../real-tools.ts';
import type { Fact, RunState } from '../state.ts';
import { vecGet, vecToArray } from '../vec.ts';
import { doubtsOf } from './lane-seat.ts';
import { lanesOut } from './open-lane.ts';

/**
 * What a lane that has ended tells its parent, from its own state alone: how it ended, what it would like to be taken
 * over, what it spent. `returns` are the kinds of evidence that it was asked for.
 */
export function laneEnvelope(env: KernelEnv, state: RunState, returns: readonly string[]): LaneEnvelope {
  const { seat, ending, budget, session } = state;
  if (seat === undefined || ending.terminal === null) throw impossible('an envelope of a lane that goes on', state);
  const doubts = openDoubts(env, state);
  const used: BudgetCounters | null = budget === null ? null : add(budget.used, budget.reserved);
  return {
    lane_id: seat.lane_id,
    run_id: state.id.runId,
    parent_run_id: seat.parent_run_id,
    span_id: seat.span_id,
    status: session.status as SessionStatus & LaneStatus,
    terminal_code: ending.terminal.code,
    reason: ending.terminal.reason,
    results: session.status === 'completed' ? resultsOf(state, returns) : [],
    transcripts: vecToArray(state.work.transcripts),
    budget_used: { ...used },
    loop_guard_trips: state.guard.trips,
    ...(doubts.length === 0 ? {} : { doubts }),
  };
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

/** What was committed under an id, be it by this plan or by one before it. */
function factOf({ work }: RunState, evidenceId: string): Fact | null {
  for (let index = 0; index < work.progress.size; index += 1) {
    const fact = vecGet(work.progress, index)?.fact;
    if (fact?.evidenceId === evidenceId) return fact;
  }
  const step = assocGet(work.carried.origins, evidenceId);
  return step === undefined ? null : (assocGet(work.carried.steps, step)?.fact ?? null);
}

/** Calls that may have had their effect, the one that was still out when the lane ended among them. */
function openDoubts(env: KernelEnv, state: RunState): readonly LaneDoubt[] {
  const known = doubtsOf(state);
  const { current } = state;
  if (current?.call == null || current.rung !== 'attempted' || !specOfCall(env, current).side_effect) return known;
  const call = `${current.tool} ${current.argsHash}`;
  if (known.some((doubt) => doubt.call === call)) return known;
  const { key, dispatchBefore } = current.call;
  return [...known, { call, key, since: dispatchBefore - env.limits.dispatchWindowMs, until: overBy(current.call) }];
}

/** What a lane waits for, those of the lanes below it included; null while it waits for nobody. */
export function laneWait(state: RunState): LaneWait | null {
  const { people, session, id } = state;
  if (session.status !== 'awaiting_gate' && session.status !== 'paused') return null;
  const own = people.gates.map(({ gateId, name, stepId, packetHash, expiresAt }) => ({
    gate_id: gateId,
    name,
    step_id: stepId,
    packet_hash: packetHash,
    expires_at: expiresAt,
    run_id: id.runId,
  }));
  const below = lanesOut(state).flatMap(({ waits }) => waits?.gates ?? []);
  const gates = [...own, ...below];
  if (gates.length > 0) return { gates, cause: 'gate' };
  if (people.question !== null) return { gates, cause: 'question' };
  return { gates, cause: people.escalation === null ? 'paused' : 'escalated' };
}
