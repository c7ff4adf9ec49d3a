import type { RunEvent } from '../model/event.ts';
import type { SessionStatus } from '../model/session-status.ts';
import type { StatusChange } from './status-changes.ts';

/** What is announced of the life of a session, in the words that people know it by. */
export type SessionNotice =
  | 'Session started'
  | 'Session awaiting gate'
  | 'Session paused'
  | 'Session resumed'
  | 'Session migrated'
  | 'Session completed'
  | 'Session failed'
  | 'Session expired'
  | 'Session rejected'
  | 'Session cancelled';

const ENDED: { readonly [S in SessionStatus]?: SessionNotice } = {
  completed: 'Session completed',
  failed: 'Session failed',
  expired: 'Session expired',
  rejected: 'Session rejected',
  cancelled: 'Session cancelled',
};

/** Each is announced by the one event that makes it true, so each is announced once. */
export async function noticeOf(
  event: RunEvent,
  change: () => Promise<StatusChange | null>,
): Promise<SessionNotice | null> {
  switch (event.type) {
    // The watchdog and a resume that was queued speak through the clock, which mostly says nothing.
    case 'time_passed':
      return noticeOfChange(await change());
    case 'goal_received':
      return 'Session started';
    case 'gate_opened':
      return 'Session awaiting gate';
    case 'run_paused':
    case 'run_escalated':
      return 'Session paused';
    case 'run_resumed':
      return 'Session resumed';
    case 'run_migrated':
      return 'Session migrated';
    case 'run_terminated':
      return ENDED[event.status] ?? null;
    default:
      return null;
  }
}

function noticeOfChange(change: StatusChange | null): SessionNotice | null {
  if (change === null || change.before === change.after) return null;
  if (change.after === 'paused') return 'Session paused';
  return change.before === 'paused' && change.after === 'in_progress' ? 'Session resumed' : null;
}
