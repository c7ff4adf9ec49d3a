import type { RunState } from '../../../kernel/index.ts';
import type { SessionStatus } from '../../../model/run/session-status.ts';
import type { Law } from './law.ts';

/** The session lifecycle, repeated independently of the kernel. */
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

/**
 * A session changes status only along the edges of its lifecycle, one per event. There are two exceptions: an ending
 * may pass several edges, and a resumed session whose lanes all wait for people goes from paused to awaiting_gate.
 */
export function sessionLifecycle(): Law {
  return {
    name: 'session lifecycle',
    event: ({ before, event, after }) => {
      const [from, to] = [before.session.status, after.session.status];
      const goesOnToWait = from === 'paused' && to === 'awaiting_gate' && waitsWithItsLanes(after);
      const legal =
        from === to || goesOnToWait || (event.type === 'run_terminated' ? reaches(from, to) : EXITS[from].includes(to));
      if (!legal) return `${event.type} took the session from ${from} to ${to}`;
      return (to === 'paused') === (after.session.pause !== null)
        ? null
        : `the session is ${to} and its pause is ${after.session.pause === null ? 'unexplained' : 'still explained'}`;
    },
    end: ({ session, ending }) => {
      const ended = EXITS[session.status].length === 0;
      return ended === (ending.terminal !== null) ? null : `the run has ended and its session is ${session.status}`;
    },
  };
}

const waitsWithItsLanes = ({ lanes = [] }: RunState): boolean => {
  const out = lanes.filter(({ observed }) => observed === null);
  return out.length > 0 && out.every(({ waits }) => waits !== null);
};

function reaches(from: SessionStatus, to: SessionStatus): boolean {
  const seen = new Set<SessionStatus>([from]);
  for (const status of seen) for (const exit of EXITS[status]) seen.add(exit);
  return to !== from && seen.has(to);
}
