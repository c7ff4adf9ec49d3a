/** The only source of time outside a test. Milliseconds since the epoch. */
export interface Clock {
  nowMs(): number;
}

/** The only source of fresh ids. `prefix` is the kind of id: `run`, `gate`, `ck`. */
export interface Ids {
  next(prefix: string): string;
}

/** Waits for an instant. A simulated timer advances its own clock instead. */
export interface Timer {
  /** Resolves at that instant, or as soon as the signal aborts. Never rejects. */
  until(atMs: number, signal: AbortSignal): Promise<void>;
  /**
   * Calls `wake` once at that instant, never before this method has returned and never after the wait is cancelled.
   * Cheaper than `until` for a wait at every step that is nearly always cancelled. A timer without it is used through
   * `until`.
   */
  wake?(atMs: number, wake: () => void): Wait;
}

/** A pending wake-up. Cancelling one that is over does nothing. */
export interface Wait {
  cancel(): void;
}

/** Calls `wake` at an instant, with either method of a timer. If the timer rejects, calls `fail` instead. */
export function wakeAt(timer: Timer, atMs: number, wake: () => void, fail: (error: unknown) => void): Wait {
  return timer.wake === undefined ? wakeByPromise(timer, atMs, wake, fail) : timer.wake(atMs, wake);
}

/** Handles the rejection too: a platform timer rejects when cancelled, which would end the process if unhandled. */
function wakeByPromise(timer: Timer, atMs: number, wake: () => void, fail: (error: unknown) => void): Wait {
  const cancelled = new AbortController();
  void timer.until(atMs, cancelled.signal).then(
    () => {
      if (!cancelled.signal.aborted) wake();
    },
    (error: unknown) => {
      if (!cancelled.signal.aborted) fail(error);
    },
  );
  return { cancel: () => cancelled.abort() };
}
