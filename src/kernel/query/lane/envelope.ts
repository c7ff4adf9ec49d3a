import type { BudgetCounters } from '../../../model/budget/budget.ts';
import { CALL_STEP } from '../../../model/plan/single-call.ts';
import type { LaneDoubt, LaneEnvelope, LaneResult, LaneStatus, LaneWait } from '../../../model/run/lane.ts';
import type { SessionStatus } from '../../../model/run/session-status.ts';
import { add } from '../../budget/account.ts';
import type { KernelEnv } from '../../env.ts';
import { assocGet } from '../../state/assoc.ts';
import { impossibleEvent } from '../../state/impossible.ts';
import type { Fact, RunState } from '../../state/run-state.ts';
import { vecGet, vecToArray } from '../../state/vec.ts';
import { settledBy } from '../call/doubt.ts';
import { committedFact } from '../evidence/committed.ts';
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
  const call = `${current.tool} ${current.argsHash}`;
  if (known.some((doubt) => doubt.call === call)) return known;
  const { key, dispatchBefore } = current.call;
  return [...known, { call, key, since: dispatchBefore - env.limits.dispatchWindowMs, until: settledBy(current.call) }];
}

/** The reason why a lane waits, with the open gates of its own lanes. Null if it does not wait for people. */
export function laneWait(state: RunState): LaneWait | null {
  const { people, session, id } = state;
  if (session.status !== 'awaiting_gate' && session.status !== 'paused') return null;
  const ownGates = people.gates.map(({ gateId, name, stepId, packetHash, expiresAt }) => ({
    gate_id: gateId,
    name,
    step_id: stepId,
    packet_hash: packetHash,
    expires_at: expiresAt,
    run_id: id.runId,
  }));
  const laneGates = findOpenLanes(state).flatMap(({ waits }) => waits?.gates ?? []);
  const gates = [...ownGates, ...laneGates];
  if (gates.length > 0) return { gates, cause: 'gate' };
  if (people.question !== null) return { gates, cause: 'question' };
  return { gates, cause: people.escalation === null ? 'paused' : 'escalated' };
}
