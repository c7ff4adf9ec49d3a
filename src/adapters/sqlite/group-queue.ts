import type { Append } from '../../ports/journal/journal.ts';
import type { AppendOutcome } from './commit-group.ts';

/** The maximum number of appends per commit. A commit blocks its writer, so a flood is stored in bounded groups. */
const GROUP_MAX = 512;

/** An append and its caller's promise, which settles after the commit. */
export interface Waiting {
  readonly append: Append;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export type Group = readonly Waiting[];

export type Settle = (group: Group, outcomes: readonly AppendOutcome[]) => void;

/** Stores groups in order and settles each after its commit. */
export interface GroupWriter {
  /** Whether this many appends should be written now instead of at the end of the turn. */
  takesAtOnce(count: number): boolean;
  /** Whether a new group would start at once, that is, no earlier group is unsettled. */
  isFree(): boolean;
  write(group: Group): void;
  /** Resolves when all groups are settled and the writer has released its resources. */
  end(): Promise<void>;
}

export interface GroupQueue {
  /** Settles after the commit of the append's group. */
  add(append: Append): Promise<void>;
  /** Writes everything that waits, now. */
  flush(): void;
  end(): Promise<void>;
}

/**
 * Collects the appends of one event loop turn, and for as long as the writer is busy. An append waits for the rest of
 * the turn; in return, all sessions share one fsync.
 */
export function groupQueue(writerWith: (settle: Settle) => GroupWriter): GroupQueue {
  let waiting: Waiting[] = [];
  let isScheduled = false;
  const writer = writerWith((group, outcomes) => {
    answer(group, outcomes);
    schedule();
  });
  const writeNext = (): void => {
    const group = waiting.slice(0, GROUP_MAX);
    waiting = waiting.slice(GROUP_MAX);
    writer.write(group);
  };
  const schedule = (): void => {
    if (isScheduled || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      // A busy writer calls `schedule` again when it settles its group.
      if (waiting.length > 0 && writer.isFree()) writeNext();
    });
  };
  return {
    add: (append) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push({ append, resolve, reject });
      if (writer.takesAtOnce(waiting.length)) writeNext();
      else schedule();
      return promise;
    },
    flush: () => {
      while (waiting.length > 0) writeNext();
    },
    end: () => writer.end(),
  };
}

function answer(group: Group, outcomes: readonly AppendOutcome[]): void {
  group.forEach(({ resolve, reject }, index) => {
    const outcome = outcomes[index];
    if (outcome === null) resolve();
    else reject(outcome);
  });
}
