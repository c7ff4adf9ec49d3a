import { Fault } from '../model/fault/fault.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Journal } from '../ports/journal/journal.ts';
import type { SessionRow } from '../ports/journal/rows.ts';

/** How to follow a run: from which position, and until when. */
export interface FollowOptions {
  /** The cursor of an earlier envelope or event. The stream continues after it, without repeats. */
  readonly after?: string;
  /** Ends the stream when it aborts. */
  readonly signal?: AbortSignal;
}

export interface FollowDeps {
  readonly journal: Pick<Journal, 'load' | 'list'>;
  readonly writeSignal: WriteSignal;
  readonly clock: Clock;
  readonly timer: Timer;
}

/** How often the journal is polled for frames of other processes, one row each time. */
export const POLL_EVERY_MS = 1_000;

export async function rowOf({ journal }: Pick<FollowDeps, 'journal'>, session: string): Promise<SessionRow> {
  const [row] = await journal.list({ session, limit: 1 });
  if (row === undefined) throw new Fault('session_not_found', `there is no session ${session}`);
  return row;
}

/** Waits until the session has more frames, the time has come, or the signal aborts. */
export async function waitForFrames(
  deps: FollowDeps,
  session: string,
  { knownSeq, at, signal }: { readonly knownSeq: number; readonly at: number; readonly signal: AbortSignal },
): Promise<void> {
  const { writeSignal, clock, timer } = deps;
  while (!signal.aborted && clock.nowMs() < at) {
    const finished = new AbortController();
    const stop = AbortSignal.any([signal, finished.signal]);
    // Subscribes before it reads the row, so that a write in between is not missed.
    const written = writeSignal.next(session, stop);
    try {
      if ((await rowOf(deps, session)).seq > knownSeq) return;
      await Promise.race([written, timer.until(Math.min(at, clock.nowMs() + POLL_EVERY_MS), stop)]);
    } finally {
      finished.abort();
    }
  }
}

/** Notifies followers in this process of a write to a session, so that they need not poll. */
export interface WriteSignal {
  ring(session: string): void;
  /** Resolves at the next write to the session, or when the signal aborts. */
  next(session: string, signal: AbortSignal): Promise<void>;
}

export function createWriteSignal(): WriteSignal {
  const listening = new Map<string, Set<() => void>>();
  return {
    ring: (session) => {
      const listeners = listening.get(session);
      if (listeners === undefined) return;
      for (const wake of listeners) wake();
    },
    next: (session, signal) =>
      new Promise<void>((resolve) => {
        if (signal.aborted) {
          resolve();
          return;
        }
        const listeners = listening.get(session) ?? new Set();
        listening.set(session, listeners);
        const wake = (): void => {
          listeners.delete(wake);
          if (listeners.size === 0 && listening.get(session) === listeners) listening.delete(session);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        listeners.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      }),
  };
}
