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

/** Has somebody woken at an instant, by whatever timer there is. */
export function wakeAt(timer: Timer, atMs: number, wake: () => void): Wait {
  return timer.wake === undefined ? wakeByPromise(timer, atMs, wake) : timer.wake(atMs, wake);
}

function wakeByPromise(timer: Timer, atMs: number, wake: () => void): Wait {
  const cancelled = new AbortController();
  void timer.until(atMs, cancelled.signal).then(() => {
    if (!cancelled.signal.aborted) wake();
  });
  return { cancel: () => cancelled.abort() };
}
