/** Waiting, as something that can be asked for. A simulated timer moves its own clock instead. */
export interface Timer {
  /** Resolves at that instant, or as soon as the signal is raised. Never rejects. */
  until(atMs: number, signal: AbortSignal): Promise<void>;
  /**
   * Calls `wake` at that instant, once and never before it has returned; not any more once the wait is cancelled. For
   * whoever waits at every step and hardly ever to the end. A timer without it is asked for `until`.
   */
  wake?(atMs: number, wake: () => void): Wait;
}

/** Something that will happen unless it is cancelled. To cancel what is over does nothing. */
export interface Wait {
  cancel(): void;
}

/** Has somebody woken at an instant, by whatever timer there is. A host's that breaks instead tells `fail` why. */
export function wakeAt(timer: Timer, atMs: number, wake: () => void, fail: (error: unknown) => void): Wait {
  return timer.wake === undefined ? wakeByPromise(timer, atMs, wake, fail) : timer.wake(atMs, wake);
}

/** The promise of the platform breaks when it is cancelled, and one that nobody listens to ends the process. */
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
