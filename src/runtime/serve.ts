import { Fault, type FaultCode } from '../model/fault/fault.ts';
import type { SessionStatus } from '../model/run/session-status.ts';
import type { Credential } from '../ports/approvers.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Journal } from '../ports/journal/journal.ts';
import type { Served, ServeLimits } from '../ports/journal/scheduler.ts';
import { isPausedAbove } from '../session/lanes/ancestry.ts';
import { runReader } from '../session/load.ts';
import type { RunOutcome } from '../session/outcome.ts';
import { requireId } from '../session/read-input.ts';
import { journalScheduler } from '../session/scheduler.ts';
import type { Runtime } from './runtime.ts';
import { type DamagedSession, damagedSessions, damageReader } from './sessions/damaged-sessions.ts';
import { EVERY, type SessionQuery, type SessionSummary } from './sessions/list-sessions.ts';

export type ServeOptions = Pick<ServeLimits, 'signal' | 'failed'> & Partial<ServeLimits>;

/** Drives sessions in the background. */
export interface Serving {
  /**
   * Drives every session that is due, in whichever process it began: expired limits, queued resumes, sessions of dead
   * processes. A session that cannot be read is quarantined, and the others go on. After `signal` aborts it starts no
   * more work and resolves when all current work is done, within `stopWithinMs`.
   */
  serve(options: ServeOptions): Promise<Served>;
  /** Schedules a session to be driven by `serve` in this process, now or at a given time. */
  wake(runId: string, when?: { readonly at?: number }): Promise<void>;
  /** Reads every session that has not ended, and returns those that cannot be read, each with the reason. */
  damaged(filter?: SessionQuery): Promise<readonly DamagedSession[]>;
  /** Resumes every matching session after an outage, except those that a person paused. Returns each result. */
  resumeAll(filter: SessionQuery, credential: CredentialFor): Promise<readonly ResumedSession[]>;
}

const CONCURRENCY = 32;
const EVERY_MS = 1_000;
const STOP_WITHIN_MS = 30_000;

export interface ServingDeps {
  readonly runtime: Pick<Runtime, 'resume' | 'sessions'>;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly agents: readonly string[];
}

export function createServing({ runtime, journal, clock, timer, agents }: ServingDeps): Serving {
  const readDamage = damageReader(journal, runtime.sessions.get, new Set(agents));
  const scheduler = journalScheduler({
    journal,
    clock,
    timer,
    agents: new Set(agents),
    isDriven: async (session) =>
      (await runtime.sessions.driver(session)) !== null || (await isPausedAbove(journal, session)),
    readDamage,
  });
  return {
    serve: (options) =>
      scheduler.serve(
        async (session) => ((await runtime.resume(session)).terminalCode === null ? 'parked' : 'terminal'),
        {
          concurrency: CONCURRENCY,
          everyMs: EVERY_MS,
          stopWithinMs: STOP_WITHIN_MS,
          ...options,
        },
      ),
    wake: (runId, when) => scheduler.wake(requireId(runId), when),
    damaged: async (filter) => await damagedSessions(runtime.sessions.list, readDamage, filter),
    resumeAll: (filter, credential) => resumeAll({ ...runtime, journal }, filter, credential),
  };
}

/** The result of resuming one session. */
export type ResumedSession =
  | { readonly runId: string; readonly ok: true; readonly outcome: RunOutcome }
  | { readonly runId: string; readonly ok: false; readonly code: FaultCode; readonly message: string };

/** One credential for all sessions, or one per session, because a signature covers a single session. */
export type CredentialFor = Credential | ((session: SessionSummary) => Credential | Promise<Credential>);

interface ResumeDeps {
  readonly journal: Pick<Journal, 'load'>;
  readonly resume: (runId: string) => Promise<RunOutcome>;
  readonly sessions: {
    list(filter: SessionQuery): Promise<readonly SessionSummary[]>;
    resume(runId: string, credential: Credential): Promise<RunOutcome>;
  };
}

/** The statuses after an outage: sessions without a driver, and sessions paused by the watchdog. */
const RESUMABLE: readonly SessionStatus[] = ['in_progress', 'paused'];

const RESUMES_AT_ONCE = 16;

/**
 * Resumes every matching session independently: a failure is reported and does not affect the others. Sessions that a
 * person paused stay paused.
 */
async function resumeAll(
  deps: ResumeDeps,
  filter: SessionQuery,
  credential: CredentialFor,
): Promise<readonly ResumedSession[]> {
  const { statuses = RESUMABLE, ...rest } = filter;
  const found = await deps.sessions.list({
    order: 'oldest',
    limit: EVERY,
    ...rest,
    statuses: statuses.filter((one) => RESUMABLE.includes(one)),
  });
  const results = new Map<string, ResumedSession>();
  const waiting = [...found];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const result = await resumeOne(deps, next, credential);
      if (result !== null) results.set(next.runId, result);
    }
  };
  await Promise.all(Array.from({ length: Math.min(RESUMES_AT_ONCE, found.length) }, work));
  return found.flatMap(({ runId }) => results.get(runId) ?? []);
}

/** Returns null for a session that stays paused. */
async function resumeOne(
  deps: ResumeDeps,
  session: SessionSummary,
  credentialFor: CredentialFor,
): Promise<ResumedSession | null> {
  const { runId, status } = session;
  try {
    if (status !== 'paused') return { runId, ok: true, outcome: await deps.resume(runId) };
    if (await isHeld(deps.journal, runId)) return null;
    const credential = typeof credentialFor === 'function' ? await credentialFor(session) : credentialFor;
    return { runId, ok: true, outcome: await deps.sessions.resume(runId, credential) };
  } catch (error) {
    const fault = Fault.is(error) ? error : new Fault('internal', String(error), { cause: error });
    return { runId, ok: false, code: fault.code, message: fault.message };
  }
}

/**
 * Returns whether a person paused the session for good. An interrupted session has a queued resume and does not count.
 */
async function isHeld(journal: Pick<Journal, 'load'>, runId: string): Promise<boolean> {
  const last = (await runReader(journal).events(runId)).findLast(
    ({ type }) => type === 'run_paused' || type === 'run_resumed' || type === 'run_escalated',
  );
  return last?.type === 'run_paused' && last.resumes === undefined;
}
