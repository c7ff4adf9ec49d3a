/** Rings when this process has written to a session, so that whoever follows it here need not keep asking. */
export interface Bell {
  ring(session: string): void;
  /** Resolves with the next ring for the session, or when the signal is raised. */
  next(session: string, signal: AbortSignal): Promise<void>;
}

export function createBell(): Bell {
  const listening = new Map<string, Set<() => void>>();
  return {
    ring: (session) => {
      const listeners = listening.get(session);
      if (listeners === undefined) return;
      for (const wake of listeners) wake();
    },
    next: (session, signal) =>
      new Promise<void>((resolve) => {
        if (signal.aborted) {
          resolve();
          return;
        }
        const listeners = listening.get(session) ?? new Set();
        listening.set(session, listeners);
        const wake = (): void => {
          listeners.delete(wake);
          if (listeners.size === 0 && listening.get(session) === listeners) listening.delete(session);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        listeners.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      }),
  };
}
