import type { RunEvent } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { RulesOf } from './drives-by-rules.ts';
import { type FollowOptions, type NewsRoom, rowOf, untilNews } from './news.ts';
import { noticeOf, type SessionNotice } from './notices.ts';
import { statusChanges } from './status-changes.ts';

/** One event of a run, as it was stored. */
export interface WatchedEvent {
  /** Where to go on: `watch(runId, { after: cursor })`, in this process or in another. */
  readonly cursor: string;
  readonly event: RunEvent;
  /** What the event means for the life of the session, where it means something. */
  readonly notice: SessionNotice | null;
}

/**
 * The events of a run in their order, those there are and those to come, until it has ended. A cursor is a place in
 * the journal, so it is good in every process and for ever.
 */
export async function* watchRun(
  room: NewsRoom,
  rulesOf: RulesOf,
  runId: string,
  { after, signal = new AbortController().signal }: FollowOptions = {},
): AsyncGenerator<WatchedEvent, void, void> {
  const changes = statusChanges(room.journal, rulesOf, runId);
  let { seq, index } = placeOf(after);
  while (!signal.aborted) {
    const row = await rowOf(room, runId);
    // A frame may have been read in part: it is loaded again from there.
    for (const frame of await room.journal.load(runId, Math.max(1, seq))) {
      const events = JSON.parse(frame.events) as readonly RunEvent[];
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
    await untilNews(room, runId, { knownSeq: seq, at: Number.MAX_SAFE_INTEGER, signal });
  }
}

const CURSOR = /^(\d{1,15})\.(\d{1,15})$/;

function placeOf(cursor: string | undefined): { readonly seq: number; readonly index: number } {
  if (cursor === undefined) return { seq: 0, index: -1 };
  const [, seq, index] = CURSOR.exec(cursor) ?? [];
  if (seq === undefined || index === undefined) {
    throw new Fault('input_invalid', 'after is the cursor of an event that was watched before', { path: '/after' });
  }
  return { seq: Number(seq), index: Number(index) };
}
