import type { Clock } from '../ports/clock.ts';
import type { Journal } from '../ports/journal.ts';
import type { Served, ServeLimits } from '../ports/scheduler.ts';
import type { Timer } from '../ports/timer.ts';
import { named } from '../session/given.ts';
import { type CredentialFor, type ResumedSession, resumeAll } from '../session/resume-all.ts';
import type { Runtime } from '../session/runtime.ts';
import { journalScheduler } from '../session/scheduler.ts';
import type { SessionQuery } from '../session/session-list.ts';

export type ServeOptions = Pick<ServeLimits, 'signal' | 'failed'> & Partial<ServeLimits>;

/** How a process looks after sessions by itself. */
export interface Serving {
  /**
   * Drives whatever is due, in whichever process it began: limits that have passed, resumes that were queued, sessions
   * that a dead process left. Until the signal is raised; then it takes on nothing more, and resolves when all is at rest.
   */
  serve(options: ServeOptions): Promise<Served>;
  /** Has a session driven by whoever serves in this process, now or at that instant. */
  wake(runId: string, when?: { readonly at?: number }): Promise<void>;
  /**
   * After an outage: lets every session go on that the filter leaves and nobody has paused, and says of each what came of
   * it.
   */
  resumeAll(filter: SessionQuery, credential: CredentialFor): Promise<readonly ResumedSession[]>;
}

const CONCURRENCY = 32;
const EVERY_MS = 1_000;

export interface ServingRoom {
  readonly door: Pick<Runtime, 'driver' | 'resume' | 'resumeSession' | 'sessions'>;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly agents: readonly string[];
}

export function servingOf({ door, journal, clock, timer, agents }: ServingRoom): Serving {
  const scheduler = journalScheduler({
    journal,
    clock,
    timer,
    agents: new Set(agents),
    isDriven: async (session) => (await door.driver(session)) !== null,
  });
  return {
    serve: (options) =>
      scheduler.serve(async (session) => ((await door.resume(session)).terminalCode === null ? 'parked' : 'terminal'), {
        concurrency: CONCURRENCY,
        everyMs: EVERY_MS,
        ...options,
      }),
    wake: (runId, when) => scheduler.wake(named(runId), when),
    resumeAll: (filter, credential) => resumeAll({ ...door, journal }, filter, credential),
  };
}
