import type { Journal } from '../ports/journal.ts';

/** Rings when this process has written to a session, so that whoever follows it here need not keep asking. */
export interface Bell {
  /** Resolves with the next ring for the session, or when the signal is raised. */
  next(session: string, signal: AbortSignal): Promise<void>;
}

export interface BelledJournal {
  readonly journal: Journal;
  readonly bell: Bell;
}

/** The same journal, heard. Where nobody listens an append costs what it did. */
export function withBell(journal: Journal): BelledJournal {
  const listening = new Map<string, Set<() => void>>();
  const ring = (session: string): void => {
    for (const wake of listening.get(session) ?? []) wake();
  };
  return {
    journal: {
      ...journal,
      append: (append) => {
        const stored = journal.append(append);
        return listening.size === 0 ? stored : stored.then(() => ring(append.session));
      },
    },
    bell: {
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
    },
  };
}
