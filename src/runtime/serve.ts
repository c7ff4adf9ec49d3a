import type { Clock, Timer } from '../ports/clock.ts';
import type { Journal } from '../ports/journal/journal.ts';
import type { Served, ServeLimits } from '../ports/journal/scheduler.ts';
import { requireId } from '../session/read-input.ts';
import { journalScheduler } from '../session/scheduler.ts';
import type { Runtime } from './runtime.ts';
import type { SessionQuery } from './sessions/list-sessions.ts';
import { type CredentialFor, type ResumedSession, resumeAll } from './sessions/resume-all.ts';

export type ServeOptions = Pick<ServeLimits, 'signal' | 'failed'> & Partial<ServeLimits>;

/** Drives sessions in the background. */
export interface Serving {
  /**
   * Drives every session that is due, in whichever process it began: expired limits, queued resumes, sessions of dead
   * processes. After `signal` aborts it starts no more work and resolves when all current work is done.
   */
  serve(options: ServeOptions): Promise<Served>;
  /** Schedules a session to be driven by `serve` in this process, now or at a given time. */
  wake(runId: string, when?: { readonly at?: number }): Promise<void>;
  /** Resumes every matching session after an outage, except those that a person paused. Returns each result. */
  resumeAll(filter: SessionQuery, credential: CredentialFor): Promise<readonly ResumedSession[]>;
}

const CONCURRENCY = 32;
const EVERY_MS = 1_000;

export interface ServingDeps {
  readonly runtime: Pick<Runtime, 'resume' | 'sessions'>;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly agents: readonly string[];
}

export function createServing({ runtime, journal, clock, timer, agents }: ServingDeps): Serving {
  const scheduler = journalScheduler({
    journal,
    clock,
    timer,
    agents: new Set(agents),
    isDriven: async (session) => (await runtime.sessions.driver(session)) !== null,
  });
  return {
    serve: (options) =>
      scheduler.serve(
        async (session) => ((await runtime.resume(session)).terminalCode === null ? 'parked' : 'terminal'),
        {
          concurrency: CONCURRENCY,
          everyMs: EVERY_MS,
          ...options,
        },
      ),
    wake: (runId, when) => scheduler.wake(requireId(runId), when),
    resumeAll: (filter, credential) => resumeAll({ ...runtime, journal }, filter, credential),
  };
}
