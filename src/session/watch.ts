import { foldEvent, initialState, type KernelEnv, type RunState } from '../kernel/index.ts';
import type { RunEvent } from '../model/events/event.ts';
import type { Frame } from '../model/events/frame.ts';
import { frameEvents } from '../model/events/frame-events.ts';
import { Fault } from '../model/fault/fault.ts';
import type { SessionStatus } from '../model/run/session-status.ts';
import type { Journal } from '../ports/journal/journal.ts';
import { type FollowDeps, type FollowOptions, rowOf, waitForFrames } from './follow.ts';
import { migrationsIn, type RulesOf } from './perform/drives-by-rules.ts';
import { readSignal } from './read-input.ts';

/** One stored event of a run. */
export interface WatchedEvent {
  /** The position to continue from: `watch(runId, { after: cursor })`, in any process. */
  readonly cursor: string;
  readonly event: RunEvent;
  /** The lifecycle notice of the event, if it has one. */
  readonly notice: SessionNotice | null;
}

/** How to watch a run. */
export interface WatchOptions extends FollowOptions {
  /** Ends the stream after the events that are stored when it aborts. */
  readonly idle?: AbortSignal;
}

/**
 * Streams the past and future events of a run in order, until it has ended. A cursor is a position in the journal, so
 * it stays valid in every process.
 */
export async function* watchRun(
  deps: FollowDeps,
  rulesOf: RulesOf,
  runId: string,
  { after, signal: stop, idle: rest }: WatchOptions = {},
): AsyncGenerator<WatchedEvent, void, void> {
  const changes = statusChanges(deps.journal, rulesOf, runId);
  const signal = readSignal(stop);
  const idle = rest === undefined ? signal : readSignal(rest, 'idle');
  let { seq, index } = placeOf(after);
  while (!signal.aborted) {
    const isIdle = idle.aborted;
    const row = await rowOf(deps, runId);
    // The last frame may have been read in part, so it is loaded again.
    for (const frame of await deps.journal.load(runId, Math.max(1, seq))) {
      const events = frameEvents(frame);
      const from = frame.seq === seq ? index + 1 : 0;
      for (const [place, event] of events.entries()) {
        if (place < from) continue;
        const notice = await noticeOf(event, () => changes({ seq: frame.seq, index: place }));
        yield { cursor: `${frame.seq}.${place}`, event, notice };
        if (signal.aborted) return;
      }
      seq = frame.seq;
      index = events.length - 1;
    }
    if ((row.terminal_code !== null || isIdle) && seq >= row.seq) return;
    await waitForFrames(deps, runId, {
      knownSeq: seq,
      at: Number.MAX_SAFE_INTEGER,
      signal: AbortSignal.any([signal, idle]),
    });
  }
}

const CURSOR = /^(\d{1,15})\.(\d{1,15})$/;

function placeOf(cursor: string | undefined): { readonly seq: number; readonly index: number } {
  if (cursor === undefined) return { seq: 0, index: -1 };
  const [, seq, index] = CURSOR.exec(cursor) ?? [];
  if (seq === undefined || index === undefined) {
    throw new Fault('input_invalid', 'after must be the cursor of an earlier event', { path: '/after' });
  }
  return { seq: Number(seq), index: Number(index) };
}

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
async function noticeOf(event: RunEvent, change: () => Promise<StatusChange | null>): Promise<SessionNotice | null> {
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

interface StatusChange {
  readonly before: SessionStatus;
  readonly after: SessionStatus;
}

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
function statusChanges(journal: Pick<Journal, 'load'>, rulesOf: RulesOf, session: string): StatusChanges {
  let env: KernelEnv | null = null;
  let state: RunState | null = null;
  let done: EventPlace = { seq: 1, index: -1 };
  const fold = async (place: EventPlace): Promise<StatusChange | null> => {
    const frames = await journal.load(session, done.seq);
    // A migration brings tools that the frames before it do not name.
    if (env === null || migrationsIn(frames).length > 0) env = await rulesOf(await journal.load(session));
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
