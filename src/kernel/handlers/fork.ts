import type { Effect } from '../../model/events/effect.ts';
import type { KernelEnv } from '../env.ts';
import { workOfParent } from '../query/rollback/made-effects.ts';
import { impossibleEvent } from '../state/lifecycle.ts';
import type { RunState, SessionState } from '../state/run-state.ts';
import type { Reacts } from '../transition/reaction.ts';
import { isAtNode } from '../transition/walk.ts';

/**
 * Forks a run from right before a verdict, which is rendered again. Unused approvals stay with the parent, and the time
 * since does not count for the fork. Unless it is simulated, the fork neither compensates nor repeats calls of the
 * parent.
 */
export const onRunForked: Reacts<'run_forked'> = (env, state, event) => {
  const { run_id: runId, trace_id: traceId, parent, simulate, imported, answers } = event;
  const due = verdictDue(env, state);
  if (due === null) throw impossibleEvent('a fork where no verdict is due', state);
  if (state.id.runId === runId) throw impossibleEvent('a fork of itself', state);
  if (imported && !simulate) throw impossibleEvent('a fork of an imported run for real', state);
  const { thread: _, ...intake } = state.intake;
  const forked: RunState = {
    ...state,
    intake,
    id: { ...state.id, runId, traceId },
    session: shiftSession(state.session, event.at - parent.at, event.at),
    manifest: state.manifest === null ? null : { ...state.manifest, run_id: runId },
    people: { ...state.people, grants: [] },
    work: simulate ? state.work : workOfParent(state.work),
    fork: { parent: parent.run_id, simulate, ...(imported && { imported }), answers: answers ?? {} },
  };
  return [forked, [due]];
};

/** The verdict that is rendered next. Null if the run is busy or waits. */
export function verdictDue(env: KernelEnv, state: RunState): Effect | null {
  const { ending, people, planning, current } = state;
  const isBusy = ending.inFlight !== null || ending.closing || ending.rollback !== undefined;
  const isWaiting = people.gates.length > 0 || people.question !== null || people.escalation !== null;
  if (isBusy || isWaiting || state.lanes !== undefined || state.laneContext !== undefined) return null;
  if (current?.rung === 'committed') return { kind: 'judge_step', step_id: current.stepId };
  if (current !== null || planning.proposal === null || !isAtNode(env, state, 'plan_validation')) return null;
  return { kind: 'verify_plan', proposal: planning.proposal };
}

function shiftSession(session: SessionState, byMs: number, now: number): SessionState {
  return {
    ...session,
    startedAt: session.startedAt + byMs,
    deadlineAt: session.deadlineAt === null ? null : session.deadlineAt + byMs,
    expiresAt: Math.min(session.expiresAt + byMs, Number.MAX_SAFE_INTEGER),
    lastSeen: now,
  };
}
