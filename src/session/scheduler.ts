import { Fault } from '../model/fault.ts';
import type { Clock } from '../ports/clock.ts';
import type { Journal } from '../ports/journal.ts';
import type { Drive, Scheduler, Served, ServeLimits } from '../ports/scheduler.ts';
import type { Timer } from '../ports/timer.ts';
import { eachSession } from './each-session.ts';

export interface SchedulerRoom {
  readonly journal: Pick<Journal, 'list'>;
  readonly clock: Clock;
  readonly timer: Timer;
  /** Whether a session that is under way is driven by somebody, here or in another process. */
  readonly isDriven: (session: string) => Promise<boolean>;
  /** Whose runs can be driven here. */
  readonly agents: ReadonlySet<string>;
}

/** A session whose drive failed is left alone for a while: twice as long each time, and never for longer than this. */
const BACKOFF_MS = 1_000;
const BACKOFF_MS_MAX = 300_000;

/**
 * The queue is the journal. A deadline, a resume that an operator has queued and a session that a dead process left are
 * all there to be found, so nothing is lost with this process, and a wake is only a reason to look at once.
 */
export function journalScheduler(room: SchedulerRoom): Scheduler {
  const woken = new Map<string, number>();
  let nudged = new AbortController();
  return {
    wake: async (session, { at = room.clock.nowMs() } = {}) => {
      const [row] = await room.journal.list({ session, limit: 1 });
      if (row === undefined) throw new Fault('session_not_found', `there is no session ${session}`);
      if (row.terminal_code !== null) throw new Fault('session_terminal', `the session ${session} has ended`);
      woken.set(session, Math.min(at, woken.get(session) ?? at));
      nudged.abort();
    },
    serve: (drive, limits) =>
      serveUntilStopped(room, drive, limits, {
        woken,
        nap: async (until) => {
          nudged = new AbortController();
          await room.timer.until(until, AbortSignal.any([nudged.signal, limits.signal]));
        },
        nudge: () => nudged.abort(),
      }),
  };
}

interface Queue {
  readonly woken: Map<string, number>;
  readonly nap: (until: number) => Promise<void>;
  readonly nudge: () => void;
}

interface Setback {
  readonly times: number;
  readonly until: number;
}

async function serveUntilStopped(
  room: SchedulerRoom,
  drive: Drive,
  { concurrency, everyMs, signal, failed }: ServeLimits,
  queue: Queue,
): Promise<Served> {
  const running = new Map<string, Promise<void>>();
  const setbacks = new Map<string, Setback>();
  const served = { driven: 0, failed: 0 };
  const start = (session: string): void => {
    const work = drive(session, signal)
      .then(() => {
        served.driven += 1;
        setbacks.delete(session);
      })
      .catch((error: unknown) => {
        served.failed += 1;
        const times = (setbacks.get(session)?.times ?? 0) + 1;
        const waitMs = Math.min(BACKOFF_MS_MAX, BACKOFF_MS * 2 ** (times - 1));
        setbacks.set(session, { times, until: room.clock.nowMs() + waitMs });
        failed?.(session, error);
      })
      .finally(() => {
        running.delete(session);
        queue.nudge();
      });
    running.set(session, work);
  };
  const isFree = (session: string): boolean =>
    !running.has(session) && room.clock.nowMs() >= (setbacks.get(session)?.until ?? 0);
  while (!signal.aborted) {
    for await (const session of dueSessions(room, queue.woken)) {
      if (running.size >= concurrency || signal.aborted) break;
      if (!isFree(session) || (await room.isDriven(session))) continue;
      queue.woken.delete(session);
      start(session);
    }
    await queue.nap(room.clock.nowMs() + everyMs);
  }
  // What is under way comes to rest: a session is let go of where it waits, not in the middle of a step.
  while (running.size > 0) await Promise.all(running.values());
  return served;
}

/** Everything that wants to be driven now, most urgent first: what was asked for, what is late, what was left behind. */
async function* dueSessions(
  { journal, clock, agents }: SchedulerRoom,
  woken: ReadonlyMap<string, number>,
): AsyncGenerator<string, void, void> {
  const now = clock.nowMs();
  for (const [session, at] of [...woken]) if (at <= now) yield session;
  for (const filter of [{ wakeBy: now }, { statuses: ['in_progress'] }] as const) {
    for await (const { agent, session_id } of eachSession(journal, filter)) if (agents.has(agent)) yield session_id;
  }
}
