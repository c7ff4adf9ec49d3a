import type { Append } from '../../ports/journal.ts';
import type { AppendOutcome } from './commit-group.ts';

/** Whoever writes is kept from everything else by a commit, so that even a flood is stored in bounded bites. */
const GROUP_MAX = 512;

/** An append, and its caller, who is answered after the commit. */
export interface Waiting {
  readonly append: Append;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export type Group = readonly Waiting[];

/** Answers everybody in a group. */
export type Settle = (group: Group, outcomes: readonly AppendOutcome[]) => void;

/** Stores groups one after the other in the order they come in, and settles each after its commit. */
export interface GroupWriter {
  /** Whether so many appends are not to be kept waiting for the rest of the turn. */
  takesAtOnce(count: number): boolean;
  /** Whether a group would be begun at once; where it would not, one before it is still to be settled. */
  isFree(): boolean;
  write(group: Group): void;
  /** Everything that was given is settled, and whatever the writer holds is given back. */
  end(): Promise<void>;
}

export interface GroupQueue {
  /** Settles after the commit of the group that the append is in. */
  add(append: Append): Promise<void>;
  /** Hands over whatever waits, now. */
  flush(): void;
  end(): Promise<void>;
}

/**
 * Gathers the appends that arrive in one turn of the event loop, and for as long as the writer is busy. The price is the
 * rest of that turn; the gain is one fsync for all sessions that moved in it.
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
      // A busy writer settles a group sooner or later, and this is scheduled again by that.
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
