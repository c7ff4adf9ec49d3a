import { Fault } from '../model/fault.ts';
import type { Clock } from '../ports/clock.ts';
import type { Journal } from '../ports/journal.ts';
import type { SessionRow } from '../ports/journal-rows.ts';
import type { Timer } from '../ports/timer.ts';
import type { Bell } from './bell.ts';

/** How somebody follows a run: from which place on, and for how long. */
export interface FollowOptions {
  /** A cursor of an earlier envelope or event: what comes after it is given, and nothing twice. */
  readonly after?: string;
  /** Ends the stream when it is raised. */
  readonly signal?: AbortSignal;
}

/** What following a run takes. */
export interface NewsRoom {
  readonly journal: Pick<Journal, 'load' | 'list'>;
  readonly bell: Bell;
  readonly clock: Clock;
  readonly timer: Timer;
}

/** Another process writes without ringing here, so the journal is looked at this often, one row each time. */
export const LOOK_EVERY_MS = 1_000;

export async function rowOf({ journal }: Pick<NewsRoom, 'journal'>, session: string): Promise<SessionRow> {
  const [row] = await journal.list({ session, limit: 1 });
  if (row === undefined) throw new Fault('session_not_found', `there is no session ${session}`);
  return row;
}

/** Waits until the session has more frames than these, the instant has come, or nobody wants to know any more. */
export async function untilNews(
  room: NewsRoom,
  session: string,
  { knownSeq, at, signal }: { readonly knownSeq: number; readonly at: number; readonly signal: AbortSignal },
): Promise<void> {
  const { bell, clock, timer } = room;
  while (!signal.aborted && clock.nowMs() < at) {
    const heard = new AbortController();
    const stop = AbortSignal.any([signal, heard.signal]);
    // Listened for before it is looked: what is written in between is heard.
    const ring = bell.next(session, stop);
    try {
      if ((await rowOf(room, session)).seq > knownSeq) return;
      await Promise.race([ring, timer.until(Math.min(at, clock.nowMs() + LOOK_EVERY_MS), stop)]);
    } finally {
      heard.abort();
    }
  }
}
