import type { PauseCause } from '../../model/run/session-status.ts';
import { transition } from '../state/lifecycle.ts';
import type { Pause, RunState } from '../state/run-state.ts';

/** Suspends the wall clock. Only the limits of the session and of the gate keep running. */
export function suspend(state: RunState, status: 'awaiting_gate' | 'paused', pause: Pause | null): RunState {
  const session = state.session;
  return {
    ...state,
    session: {
      ...session,
      status: session.status === status ? status : transition(session.status, status),
      pause,
      suspendedAt: session.suspendedAt ?? state.now,
    },
  };
}

/** Resumes the wall clock and extends the deadline by the time spent waiting. */
export function unsuspend(state: RunState): RunState {
  const session = state.session;
  const waited = session.suspendedAt === null ? 0 : state.now - session.suspendedAt;
  return {
    ...state,
    session: {
      ...session,
      status: transition(session.status, 'in_progress'),
      pause: null,
      suspendedAt: null,
      deadlineAt: session.deadlineAt === null ? null : session.deadlineAt + waited,
      lastSeen: state.now,
    },
  };
}

/** Marks a pause as ending now. */
export function markResuming(state: RunState): RunState {
  const { pause: current } = state.session;
  if (current === null) return state;
  return { ...state, session: { ...state.session, pause: { ...current, resumesAt: state.now } } };
}

export function pause(state: RunState, cause: PauseCause, by: string, authority: string): RunState {
  return suspend(state, 'paused', { cause, by, authority });
}
