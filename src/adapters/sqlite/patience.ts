import type { DatabaseSync } from 'node:sqlite';
import { isLocked } from './sqlite-fault.ts';

/**
 * How long a connection waits for another process that holds the file. Whoever has waited in vain tries other things
 * next: to end the run, to say who drives. None of that is worth the whole wait again while nothing has changed.
 */
export interface Patience {
  /** Before something that may have to wait. */
  renew(): void;
  /** It could be done: nobody holds the file any more. */
  regain(): void;
  /** It failed; where that was for want of the lock, the next wait is short. */
  spend(error: unknown): void;
}

/** Long enough for whoever is only just committing. */
const SHORT_MS = 50;

export function patienceOf(db: DatabaseSync, busyTimeoutMs: number): Patience {
  let spentAt: number | null = null;
  const wait = (ms: number): void => db.exec(`pragma busy_timeout = ${ms}`);
  const regain = (): void => {
    if (spentAt === null) return;
    spentAt = null;
    wait(busyTimeoutMs);
  };
  return {
    regain,
    renew: () => {
      if (spentAt !== null && performance.now() - spentAt >= busyTimeoutMs) regain();
    },
    spend: (error) => {
      if (!isLocked(error)) return;
      // Counted from the wait that was whole: short ones do not put the next whole one off.
      spentAt ??= performance.now();
      wait(Math.min(SHORT_MS, busyTimeoutMs));
    },
  };
}
