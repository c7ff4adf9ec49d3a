import { Fault } from '../model/fault/fault.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Journal, SessionFilter } from '../ports/journal/journal.ts';
import type { SessionRow } from '../ports/journal/rows.ts';
import type { Drive, Scheduler, Served, ServeLimits } from '../ports/journal/scheduler.ts';
import { sessionRowDamage } from '../ports/journal/valid-rows.ts';

interface SchedulerDeps {
  readonly journal: Pick<Journal, 'list'>;
  readonly clock: Clock;
  readonly timer: Timer;
  /** Returns whether any process drives a session. */
  readonly isDriven: (session: string) => Promise<boolean>;
  /** Returns why a session cannot be read, or null if it can. */
  readonly readDamage: (session: string) => Promise<unknown>;
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

/** The failures of a serving process: when each session may be tried again, and which ones cannot be read. */
interface Failures {
  readonly quarantined: ReadonlySet<string>;
  readonly isFree: (session: string) => boolean;
  readonly clear: (session: string) => void;
  readonly note: (session: string, error: unknown) => Promise<void>;
}

function noteFailures(
  { clock, readDamage }: SchedulerDeps,
  { failed, quarantined: onQuarantine }: Pick<ServeLimits, 'failed' | 'quarantined'>,
): Failures {
  const setbacks = new Map<string, Setback>();
  const quarantined = new Set<string>();
  const clear = (session: string): void => {
    setbacks.delete(session);
    quarantined.delete(session);
  };
  return {
    quarantined,
    clear,
    isFree: (session) => clock.nowMs() >= (setbacks.get(session)?.until ?? 0),
    note: async (session, error) => {
      const times = (setbacks.get(session)?.times ?? 0) + 1;
      // A store that cannot be asked says nothing about the session.
      const damage = await readDamage(session).catch(() => null);
      const waitMs = damage === null ? Math.min(BACKOFF_MS_MAX, BACKOFF_MS * 2 ** (times - 1)) : BACKOFF_MS_MAX;
      setbacks.set(session, { times, until: clock.nowMs() + waitMs });
      if (damage !== null && !quarantined.has(session)) {
        quarantined.add(session);
        tell(onQuarantine, session, damage);
      }
      tell(failed, session, error);
    },
  };
}

/** Calls a callback of the host. Its own error must not end the serving of all sessions. */
function tell(callback: ServeLimits['failed'], session: string, error: unknown): void {
  try {
    const answer: unknown = callback?.(session, error);
    if (answer instanceof Promise) answer.catch(() => undefined);
  } catch {
    // The host reports to itself here, so there is no other place to report to.
  }
}

async function serveUntilStopped(
  deps: SchedulerDeps,
  drive: Drive,
  limits: ServeLimits,
  queue: Queue,
): Promise<Served> {
  const { concurrency, everyMs, signal } = limits;
  const running = new Map<string, Promise<void>>();
  const failures = noteFailures(deps, limits);
  const served = { driven: 0, failed: 0 };
  const fail = async (session: string, error: unknown): Promise<void> => {
    served.failed += 1;
    await failures.note(session, error);
  };
  const start = (session: string): void => {
    const work = drive(session, signal)
      .then(() => {
        served.driven += 1;
        failures.clear(session);
      })
      .catch((error: unknown) => fail(session, error))
      .finally(() => {
        running.delete(session);
        queue.nudge();
      });
    running.set(session, work);
  };
  /** A session with a damaged row, or whose driver cannot be found out, cannot be driven. It fails alone. */
  const isDriven = async ({ session, damage }: DueSession): Promise<boolean> => {
    try {
      if (damage !== null) throw new Fault('store_corrupt', `session ${session}: ${damage}`);
      return await deps.isDriven(session);
    } catch (error) {
      await fail(session, error);
      return true;
    }
  };
  while (!signal.aborted) {
    for await (const due of dueSessions(deps, queue.woken)) {
      const { session } = due;
      if (running.size >= concurrency || signal.aborted) break;
      if (running.has(session) || !failures.isFree(session) || (await isDriven(due))) continue;
      queue.woken.delete(session);
      start(session);
    }
    await queue.nap(deps.clock.nowMs() + everyMs);
  }
  await finishAll(deps, running, limits.stopWithinMs);
  return { ...served, quarantined: [...failures.quarantined] };
}

/** Waits until no session is driven any more: each is released while it waits, not in the middle of a step. */
async function finishAll(
  { clock, timer }: SchedulerDeps,
  running: ReadonlyMap<string, Promise<void>>,
  withinMs: number,
): Promise<void> {
  const finish = async (): Promise<void> => {
    while (running.size > 0) await Promise.all(running.values());
  };
  if (running.size === 0) return;
  const stop = new AbortController();
  await Promise.race([finish(), timer.until(clock.nowMs() + withinMs, stop.signal)]);
  stop.abort();
  if (running.size === 0) return;
  const still = [...running.keys()].join(', ');
  const next = 'close the runtime and end the process, so that another one takes them over';
  throw new Fault('serve_unfinished', `${withinMs} ms after the stop, ${still} were still being driven: ${next}`);
}

interface DueSession {
  readonly session: string;
  /** Why no append can have written its row; null if one can, or if the row was not read. */
  readonly damage: string | null;
}

/** The sessions to drive now, most urgent first: woken, overdue, abandoned. */
async function* dueSessions(
  { journal, clock, agents }: SchedulerDeps,
  woken: ReadonlyMap<string, number>,
): AsyncGenerator<DueSession, void, void> {
  const now = clock.nowMs();
  for (const [session, at] of [...woken]) if (at <= now) yield { session, damage: null };
  for (const filter of [{ wakeBy: now }, { statuses: ['in_progress'] }] as const) {
    for await (const row of eachSession(journal, filter))
      if (agents.has(row.agent)) yield { session: row.session_id, damage: sessionRowDamage(row) };
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
