import type { Effect } from '../../model/effect.ts';
import type { KernelEnv } from '../env.ts';
import { impossible, type Reacts } from '../reaction.ts';
import type { RunState, SessionState } from '../state.ts';
import { standsOn } from '../walk.ts';
import { workOfParent } from './work-of-parent.ts';

/**
 * A run goes on under another name, from right before one of its verdicts, which is rendered anew. Approvals that were
 * given and not used were for the parent; time that has passed since is not the fork's. What the parent has done is not
 * the fork's to take back or to send again, unless nothing is sent in any case.
 */
export const onRunForked: Reacts<'run_forked'> = (env, state, event) => {
  const { run_id: runId, trace_id: traceId, parent, simulate, answers } = event;
  const due = verdictDue(env, state);
  if (due === null) throw impossible('a fork where no verdict is due', state);
  if (state.id.runId === runId) throw impossible('a fork of itself', state);
  const forked: RunState = {
    ...state,
    id: { ...state.id, runId, traceId },
    session: movedOn(state.session, event.at - parent.at, event.at),
    manifest: state.manifest === null ? null : { ...state.manifest, run_id: runId },
    people: { ...state.people, grants: [] },
    work: simulate ? state.work : workOfParent(state.work),
    fork: { parent: parent.run_id, simulate, answers: answers ?? {} },
  };
  return [forked, [due]];
};

/** The verdict that is rendered next, where nothing else is under way and nobody is waited for; null elsewhere. */
export function verdictDue(env: KernelEnv, state: RunState): Effect | null {
  const { ending, people, planning, current } = state;
  const isBusy = ending.inFlight !== null || ending.closing || ending.rollback !== undefined;
  const waits = people.gates.length > 0 || people.question !== null || people.escalation !== null;
  if (isBusy || waits || state.lanes !== undefined || state.seat !== undefined) return null;
  if (current?.rung === 'committed') return { kind: 'judge_step', step_id: current.stepId };
  if (current !== null || planning.proposal === null || !standsOn(env, state, 'plan_validation')) return null;
  return { kind: 'verify_plan', proposal: planning.proposal };
}

function movedOn(session: SessionState, byMs: number, now: number): SessionState {
  return {
    ...session,
    startedAt: session.startedAt + byMs,
    deadlineAt: session.deadlineAt === null ? null : session.deadlineAt + byMs,
    expiresAt: Math.min(session.expiresAt + byMs, Number.MAX_SAFE_INTEGER),
    lastSeen: now,
  };
}
