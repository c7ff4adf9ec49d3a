import { Fault } from '../../model/fault/fault.ts';
import { TERMINAL_CODE_TABLE, type TerminalCode } from '../../model/fault/terminal-code.ts';
import type { SessionStatus } from '../../model/run/session-status.ts';
import type { RunState } from './run-state.ts';

/** The legal transitions of a session. All others are refused. */
const EXITS: Readonly<Record<SessionStatus, readonly SessionStatus[]>> = {
  in_progress: ['awaiting_gate', 'paused', 'completed', 'failed', 'expired'],
  awaiting_gate: ['in_progress', 'rejected', 'expired'],
  paused: ['in_progress', 'cancelled', 'expired'],
  completed: [],
  failed: [],
  expired: [],
  rejected: [],
  cancelled: [],
};

export function isTerminal(status: SessionStatus): boolean {
  return EXITS[status].length === 0;
}

export function canTransition(from: SessionStatus, to: SessionStatus): boolean {
  return EXITS[from].includes(to);
}

export function transition(from: SessionStatus, to: SessionStatus): SessionStatus {
  if (canTransition(from, to)) return to;
  throw refusal(from, to);
}

/**
 * Returns the statuses that lead from `from` to the terminal status `to` by legal transitions, all within one frame. A
 * run that fails while it waits for people passes through `in_progress`, because it takes its authority back first.
 */
export function endPath(from: SessionStatus, to: SessionStatus): readonly SessionStatus[] {
  const path = isTerminal(to) ? shortestPath(from, to) : null;
  if (path === null) throw refusal(from, to);
  return path;
}

/** A breadth-first search; the order of the table makes the result unique. */
function shortestPath(from: SessionStatus, to: SessionStatus): readonly SessionStatus[] | null {
  const paths: (readonly SessionStatus[])[] = EXITS[from].map((exit) => [exit]);
  const seen = new Set<SessionStatus>([from]);
  for (const path of paths) {
    const last = path.at(-1);
    if (last === undefined || seen.has(last)) continue;
    if (last === to) return path;
    seen.add(last);
    for (const exit of EXITS[last]) paths.push([...path, exit]);
  }
  return null;
}

function refusal(from: SessionStatus, to: SessionStatus): Fault {
  return isTerminal(from)
    ? new Fault('session_terminal', `the session has ended as ${from} and cannot become ${to}`)
    : new Fault(
        'illegal_transition',
        `a session cannot go from ${from} to ${to}; it can go to ${EXITS[from].join(', ')}`,
      );
}

/** Stop reasons that mean that a wait expired. */
const EXPIRY_REASONS: ReadonlySet<string> = new Set(['gate_expired', 'session_expired', 'wait_expired']);

/** The final status of a session, from the terminal code and the reason of its run. */
export function statusFor(code: TerminalCode, reason = ''): SessionStatus {
  const { status } = TERMINAL_CODE_TABLE[code];
  if (status !== 'failed') return status;
  if (EXPIRY_REASONS.has(reason)) return 'expired';
  if (code === 'PERMISSION_DENIED' && reason === 'approval_rejected') return 'rejected';
  return status;
}

/** Working time of the run. Time spent waiting for people does not count. */
export function elapsedMs(state: RunState): number {
  const { deadlineAt, suspendedAt } = state.session;
  if (deadlineAt === null || state.budget === null) return 0;
  const workedUntil = suspendedAt ?? state.now;
  return workedUntil - (deadlineAt - state.budget.caps.wall_clock_seconds_max * 1000);
}

/** The fault for a well-formed event that cannot happen in the current state of the run. */
export function impossibleEvent(what: string, state: RunState): Fault {
  return new Fault('event_illegal', `${what} (at ${state.position.node}, ${state.session.status})`);
}

/** Whether the run only compensates its effects. */
export const isRollingBack = ({ ending }: RunState): boolean => ending.rollback !== undefined && !ending.closing;
