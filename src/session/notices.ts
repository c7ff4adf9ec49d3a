import { foldEvent, initialState, type KernelEnv, type RunState } from '../kernel/index.ts';
import type { RunEvent } from '../model/events/event.ts';
import type { Frame } from '../model/events/frame.ts';
import { frameEvents } from '../model/events/frame-events.ts';
import type { SessionStatus } from '../model/run/session-status.ts';
import type { Journal } from '../ports/journal/journal.ts';
import type { RulesOf } from './perform/drives-by-rules.ts';

/** The lifecycle notices of a session. */
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

/** The notice of an event. Each notice belongs to the one event that causes it, so it is announced once. */
export async function noticeOf(
  event: RunEvent,
  change: () => Promise<StatusChange | null>,
): Promise<SessionNotice | null> {
  switch (event.type) {
    // The watchdog and queued resumes act through clock events, which usually change nothing.
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

/** The status of a session before and after an event. */
interface StatusChange {
  readonly before: SessionStatus;
  readonly after: SessionStatus;
}

/** The position of an event in the journal. */
interface EventPlace {
  readonly seq: number;
  readonly index: number;
}

/** The status change of an event. Events must be queried in order. */
type StatusChanges = (place: EventPlace) => Promise<StatusChange | null>;

/**
 * Folds a run up to the queried event, each event once. Returns null if the run cannot be folded here; the watcher then
 * gets no notice and continues.
 */
export function statusChanges(journal: Pick<Journal, 'load'>, rulesOf: RulesOf, session: string): StatusChanges {
  let env: KernelEnv | null = null;
  let state: RunState | null = null;
  let done: EventPlace = { seq: 1, index: -1 };
  const fold = async (place: EventPlace): Promise<StatusChange | null> => {
    const frames = await journal.load(session, done.seq);
    env ??= await rulesOf(frames);
    let change: StatusChange | null = null;
    for (const { index, seq, event } of eventsBetween(frames, done, place)) {
      const from: RunState = state ?? initialState(env);
      const [next] = foldEvent(env, from, { seq }, event);
      change = { before: from.session.status, after: next.session.status };
      state = next;
      done = { seq, index };
    }
    return change;
  };
  return (place) => fold(place).catch(() => null);
}

/** The events after one position, up to and including another. */
function* eventsBetween(
  frames: readonly Frame[],
  from: EventPlace,
  to: EventPlace,
): Iterable<EventPlace & { readonly event: RunEvent }> {
  for (const frame of frames) {
    const { seq } = frame;
    if (seq > to.seq) return;
    for (const [index, event] of frameEvents(frame).entries()) {
      if (seq === to.seq && index > to.index) return;
      if (seq > from.seq || index > from.index) yield { seq, index, event };
    }
  }
}
