import { Fault } from '../model/fault/fault.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Journal, SessionFilter } from '../ports/journal/journal.ts';
import type { SessionRow } from '../ports/journal/rows.ts';
import type { Drive, Scheduler, Served, ServeLimits } from '../ports/journal/scheduler.ts';

interface SchedulerDeps {
  readonly journal: Pick<Journal, 'list'>;
  readonly clock: Clock;
  readonly timer: Timer;
  /** Returns whether any process drives a session. */
  readonly isDriven: (session: string) => Promise<boolean>;
  /** The agents whose runs this process can drive. */
  readonly agents: ReadonlySet<string>;
}

/** The backoff after a failed drive. It doubles each time, up to the maximum. */
const BACKOFF_MS = 1_000;
const BACKOFF_MS_MAX = 300_000;

/**
 * A scheduler whose queue is the journal. Deadlines, queued resumes and sessions of dead processes are all found there,
 * so nothing is lost with this process. `wake` only makes it look at once.
 */
export function journalScheduler(deps: SchedulerDeps): Scheduler {
  const woken = new Map<string, number>();
  let nudged = new AbortController();
  return {
    wake: async (session, { at = deps.clock.nowMs() } = {}) => {
      const [row] = await deps.journal.list({ session, limit: 1 });
      if (row === undefined) throw new Fault('session_not_found', `there is no session ${session}`);
      if (row.terminal_code !== null) throw new Fault('session_terminal', `the session ${session} has ended`);
      woken.set(session, Math.min(at, woken.get(session) ?? at));
      nudged.abort();
    },
    serve: (drive, limits) =>
      serveUntilStopped(deps, drive, limits, {
        woken,
        nap: async (until) => {
          nudged = new AbortController();
          await deps.timer.until(until, AbortSignal.any([nudged.signal, limits.signal]));
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
  deps: SchedulerDeps,
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
        setbacks.set(session, { times, until: deps.clock.nowMs() + waitMs });
        failed?.(session, error);
      })
      .finally(() => {
        running.delete(session);
        queue.nudge();
      });
    running.set(session, work);
  };
  const isFree = (session: string): boolean =>
    !running.has(session) && deps.clock.nowMs() >= (setbacks.get(session)?.until ?? 0);
  while (!signal.aborted) {
    for await (const session of dueSessions(deps, queue.woken)) {
      if (running.size >= concurrency || signal.aborted) break;
      if (!isFree(session) || (await deps.isDriven(session))) continue;
      queue.woken.delete(session);
      start(session);
    }
    await queue.nap(deps.clock.nowMs() + everyMs);
  }
  // Sessions being driven are finished: each is released while it waits, not in the middle of a step.
  while (running.size > 0) await Promise.all(running.values());
  return served;
}

/** The sessions to drive now, most urgent first: woken, overdue, abandoned. */
async function* dueSessions(
  { journal, clock, agents }: SchedulerDeps,
  woken: ReadonlyMap<string, number>,
): AsyncGenerator<string, void, void> {
  const now = clock.nowMs();
  for (const [session, at] of [...woken]) if (at <= now) yield session;
  for (const filter of [{ wakeBy: now }, { statuses: ['in_progress'] }] as const) {
    for await (const { agent, session_id } of eachSession(journal, filter)) if (agents.has(agent)) yield session_id;
  }
}

const PAGE = 500;

/**
 * Every session that matches a filter, least recently updated first, page by page. A session that changes meanwhile
 * moves to the end, so the loop stops at rows newer than the newest one at its start.
 */
async function* eachSession(
  journal: Pick<Journal, 'list'>,
  filter: Omit<SessionFilter, 'order' | 'after' | 'limit'>,
): AsyncGenerator<SessionRow, void, void> {
  const [newest] = await journal.list({ ...filter, order: 'newest', limit: 1 });
  if (newest === undefined) return;
  let place: Pick<SessionFilter, 'after'> = {};
  for (;;) {
    const rows = await journal.list({ ...filter, ...place, order: 'oldest', limit: PAGE });
    for (const row of rows) {
      if (row.updated_at > newest.updated_at) return;
      yield row;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    place = { after: last };
  }
}
