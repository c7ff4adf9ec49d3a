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

/** Since when it is spent, in milliseconds of the machine's steady clock, or zero: one for all connections of a journal. */
export type SpentSince = BigInt64Array<SharedArrayBuffer>;

export const patient = (): SpentSince => new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT));

/** Long enough for whoever is only just committing. */
const SHORT_MS = 50;

export function patienceOf(db: DatabaseSync, busyTimeoutMs: number, spent: SpentSince): Patience {
  let waiting = busyTimeoutMs;
  const wait = (ms: number): void => {
    if (ms === waiting) return;
    waiting = ms;
    db.exec(`pragma busy_timeout = ${ms}`);
  };
  const regain = (): void => {
    Atomics.store(spent, 0, 0n);
    wait(busyTimeoutMs);
  };
  const waitShortly = (): void => wait(Math.min(SHORT_MS, busyTimeoutMs));
  return {
    regain,
    renew: () => {
      const since = Atomics.load(spent, 0);
      // Counted from the wait that was whole: short ones do not put the next whole one off.
      if (since === 0n || nowMs() - since >= busyTimeoutMs) regain();
      else waitShortly();
    },
    spend: (error) => {
      if (!isLocked(error)) return;
      Atomics.compareExchange(spent, 0, 0n, nowMs());
      waitShortly();
    },
  };
}

/** The same in every thread. */
const nowMs = (): bigint => process.hrtime.bigint() / 1_000_000n;
