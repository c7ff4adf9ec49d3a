import type { PauseCause, SessionStatus } from '../model/session-status.ts';
import { transition } from './lifecycle.ts';
import type { Pause, RunState } from './state.ts';

/** Stops the wall clock: from here on only the session's and the gate's own limits run. */
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

/** Starts the wall clock again and moves the deadline on by the time people took. */
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

export function isHeld(status: SessionStatus): boolean {
  return status === 'paused' || status === 'awaiting_gate';
}

/** The same pause, of which it is decided already that it ends. */
export function resumingSoon(state: RunState): RunState {
  const { pause: held } = state.session;
  if (held === null) return state;
  return { ...state, session: { ...state.session, pause: { ...held, resumesAt: state.now } } };
}

export function pause(state: RunState, cause: PauseCause, by: string, authority: string): RunState {
  return suspend(state, 'paused', { cause, by, authority });
}
