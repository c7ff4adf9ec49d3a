import type { Clock, Timer } from '../ports/clock.ts';

export interface SimulatedClock extends Clock, Timer {
  /** Moves time forward and wakes the waiters on the way, in order. Time never goes back. */
  advanceTo(atMs: number): void;
  /** Time of the next waiter; null if there is none. */
  next(): number | null;
}

interface Waiter {
  readonly at: number;
  readonly order: number;
  readonly wake: () => void;
}

/** A clock that moves only when a test advances it. */
export function simulatedClock(startMs: number): SimulatedClock {
  let now = startMs;
  let order = 0;
  const waiting = new Set<Waiter>();

  const first = (): Waiter | null => {
    let earliest: Waiter | null = null;
    for (const waiter of waiting) {
      const sooner = earliest === null || waiter.at < earliest.at;
      if (sooner || (waiter.at === earliest?.at && waiter.order < earliest.order)) earliest = waiter;
    }
    return earliest;
  };

  return {
    nowMs: () => now,
    until: (at, signal) =>
      new Promise<void>((resolve) => {
        if (at <= now || signal.aborted) {
          resolve();
          return;
        }
        order += 1;
        const waiter: Waiter = { at, order, wake: resolve };
        waiting.add(waiter);
        const leave = (): void => {
          if (waiting.delete(waiter)) resolve();
        };
        signal.addEventListener('abort', leave, { once: true });
      }),
    wake: (at, wake) => {
      order += 1;
      const waiter: Waiter = { at, order, wake };
      waiting.add(waiter);
      // A waiter that is due already is woken without advancing time.
      if (at <= now) queueMicrotask(() => waiting.delete(waiter) && wake());
      return { cancel: () => waiting.delete(waiter) };
    },
    advanceTo: (at) => {
      for (let next = first(); next !== null && next.at <= at; next = first()) {
        now = Math.max(now, next.at);
        waiting.delete(next);
        next.wake();
      }
      now = Math.max(now, at);
    },
    next: () => first()?.at ?? null,
  };
}
