import type { Append } from '../../ports/journal.ts';
import type { AppendOutcome } from './commit-group.ts';

/** A commit blocks the process while it writes, so that even a flood is stored in bounded bites. */
const GROUP_MAX = 512;

interface Waiting {
  readonly append: Append;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export interface GroupQueue {
  /** Settles after the commit of the group that the append is in. */
  add(append: Append): Promise<void>;
  /** Commits whatever waits, now. */
  flush(): void;
}

/**
 * Gathers the appends that arrive in one turn of the event loop. The price is the rest of that turn;
 * the gain is one fsync for all sessions that moved in it.
 */
export function groupQueue(commit: (appends: readonly Append[]) => readonly AppendOutcome[]): GroupQueue {
  let waiting: Waiting[] = [];
  let isScheduled = false;
  const commitNext = (): void => {
    const group = waiting.slice(0, GROUP_MAX);
    waiting = waiting.slice(GROUP_MAX);
    const outcomes = commit(group.map(({ append }) => append));
    group.forEach(({ resolve, reject }, index) => {
      const outcome = outcomes[index];
      if (outcome === null) resolve();
      else reject(outcome);
    });
  };
  const schedule = (): void => {
    if (isScheduled || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      if (waiting.length > 0) commitNext();
      schedule();
    });
  };
  return {
    add: (append) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push({ append, resolve, reject });
      schedule();
      return promise;
    },
    flush: () => {
      while (waiting.length > 0) commitNext();
    },
  };
}
