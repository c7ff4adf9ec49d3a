import type { RunEvent } from '../model/events/event.ts';
import { frameEvents } from '../model/events/frame-events.ts';
import { Fault } from '../model/fault/fault.ts';
import { type FollowDeps, type FollowOptions, rowOf, waitForFrames } from './follow.ts';
import { noticeOf, type SessionNotice, statusChanges } from './notices.ts';
import type { RulesOf } from './perform/drives-by-rules.ts';

/** One stored event of a run. */
export interface WatchedEvent {
  /** The position to continue from: `watch(runId, { after: cursor })`, in any process. */
  readonly cursor: string;
  readonly event: RunEvent;
  /** The lifecycle notice of the event, if it has one. */
  readonly notice: SessionNotice | null;
}

/**
 * Streams the past and future events of a run in order, until it has ended. A cursor is a position in the journal, so
 * it stays valid in every process.
 */
export async function* watchRun(
  deps: FollowDeps,
  rulesOf: RulesOf,
  runId: string,
  { after, signal = new AbortController().signal }: FollowOptions = {},
): AsyncGenerator<WatchedEvent, void, void> {
  const changes = statusChanges(deps.journal, rulesOf, runId);
  let { seq, index } = placeOf(after);
  while (!signal.aborted) {
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
    if (row.terminal_code !== null && seq >= row.seq) return;
    await waitForFrames(deps, runId, { knownSeq: seq, at: Number.MAX_SAFE_INTEGER, signal });
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
