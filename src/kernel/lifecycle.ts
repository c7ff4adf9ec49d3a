import { Fault } from '../model/fault.ts';
import type { SessionStatus } from '../model/session-status.ts';
import type { TerminalCode } from '../model/terminal-code.ts';

/** Where a session may go from where it is. What is not listed does not exist. */
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
 * The statuses to pass, in one frame, so that a session comes to an end by legal edges only. A run that must fail
 * while it waits for people first takes its authority back, which is why those paths lead over `in_progress`.
 */
export function endPath(from: SessionStatus, to: SessionStatus): readonly SessionStatus[] {
  const path = isTerminal(to) ? shortestPath(from, to) : null;
  if (path === null) throw refusal(from, to);
  return path;
}

/** Breadth first over eight statuses; the order of the table makes the answer unique. */
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

/** Reasons that say a time limit on waiting ended the run, whatever it was waiting for. */
const EXPIRY_REASONS: ReadonlySet<string> = new Set(['gate_expired', 'session_expired', 'wait_expired']);

/** The status a session ends in, from the code its run ended with and why. */
export function statusFor(code: TerminalCode, reason = ''): SessionStatus {
  if (code === 'SUCCESS' || code === 'PARTIAL_SUCCESS') return 'completed';
  if (code === 'USER_CANCEL') return 'cancelled';
  if (EXPIRY_REASONS.has(reason)) return 'expired';
  if (code === 'PERMISSION_DENIED' && reason === 'approval_rejected') return 'rejected';
  return 'failed';
}
