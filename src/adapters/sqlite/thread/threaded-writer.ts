import type { Worker } from 'node:worker_threads';
import { Fault } from '../../../model/fault/fault.ts';
import type { EffectRow } from '../../../ports/journal/rows.ts';
import type { Group, GroupWriter, Settle } from '../group-queue.ts';
import { intentsIn, type RecentIntents } from '../known-sessions.ts';
import {
  type GroupReply,
  PROGRESS,
  replyOutcome,
  type StartThread,
  startThread,
  type ThreadMessage,
  type ThreadOptions,
} from './messages.ts';
import { packAppend } from './packed-append.ts';

/** This many appends are sent at once, without waiting for the end of the turn. */
const SEND_AT = 16;

/** One group being stored and one ready, so that the thread need not wait for the next message. */
const GROUPS_MAX = 2;

/**
 * Stores groups on a separate thread, so that the calling thread continues while they reach the disk. The next group is
 * collected meanwhile. The first append starts the thread; after the thread's death, the next append starts another.
 */
export const threadedWriter =
  (orders: Omit<ThreadOptions, 'progress'>, note: RecentIntents['note'], start: StartThread = startThread) =>
  (settle: Settle): GroupWriter => {
    const intents = new WeakMap<Group, readonly (readonly EffectRow[])[]>();
    let worker: WritingWorker | null = null;

    const answered = (group: Group, reply: GroupReply): void => {
      const sent = intents.get(group);
      group.forEach(({ append }, index) => {
        note(append.session, reply[index] === true ? (sent?.[index] ?? []) : []);
      });
      settle(group, reply.map(replyOutcome));
    };
    const startWorker = (): WritingWorker => {
      const progress = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
      const starting = writingWorker(start({ ...orders, progress }), new Int32Array(progress), {
        answered,
        ended: (open, fault) => {
          if (worker === starting) worker = null;
          for (const group of open) {
            for (const { append } of group) note(append.session, []);
            settle(group, allOf(group, fault));
          }
        },
      });
      return starting;
    };
    const write = (group: Group): void => {
      try {
        worker ??= startWorker();
      } catch (cause) {
        settle(group, allOf(group, unavailable(cause)));
        return;
      }
      try {
        worker.write(group);
        // Copies the rows as they were sent, because the caller still holds them.
        intents.set(
          group,
          group.map(({ append }) => intentsIn(append.projections.effects)),
        );
      } catch (cause) {
        if (group.length > 1) for (const one of group) write([one]);
        else settle(group, [new Fault('input_invalid', 'the append holds something else than data', { cause })]);
      }
    };
    return {
      takesAtOnce: (count) => count >= SEND_AT && (worker === null || worker.behind() < GROUPS_MAX),
      isFree: () => worker === null || worker.behind() === 0,
      write,
      end: async () => worker?.end(),
    };
  };

const allOf = (group: Group, fault: Fault): readonly Fault[] => group.map(() => fault);

/** One thread and its unanswered groups. It keeps the process alive while there are any. */
interface WritingWorker {
  /** The number of groups it has received but not yet stored. */
  behind(): number;
  /** Throws if the group cannot be copied to a thread; then nothing of it was sent. */
  write(group: Group): void;
  /** Stores all groups sent before, then ends the thread. */
  end(): Promise<void>;
}

interface Listener {
  answered(group: Group, reply: GroupReply): void;
  /** The thread has ended without answering these groups. */
  ended(open: readonly Group[], fault: Fault): void;
}

function writingWorker(worker: Worker, progress: Int32Array, listener: Listener): WritingWorker {
  const open: Group[] = [];
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  let sent = 0;
  let isEnding = false;
  let cause: unknown;
  const post = (message: ThreadMessage): void => {
    worker.postMessage(message);
    worker.ref();
  };
  worker.on('message', (reply: GroupReply) => {
    const group = open.shift();
    // While it ends, the journal's `close` waits for it.
    if (open.length === 0 && !isEnding) worker.unref();
    if (group !== undefined) listener.answered(group, reply);
  });
  worker.on('error', (error) => {
    cause = error;
  });
  worker.on('exit', () => {
    const hasBegun = Atomics.load(progress, PROGRESS.begun) === 1;
    listener.ended(open.splice(0), hasBegun ? outcomeUnknown(cause) : unavailable(cause));
    resolve();
  });
  // Must come last, because adding a listener refs the worker again.
  worker.unref();
  return {
    behind: () => sent - Atomics.load(progress, PROGRESS.done),
    write: (group) => {
      post(group.map(({ append }) => packAppend(append)));
      sent += 1;
      open.push(group);
    },
    end: () => {
      isEnding = true;
      post(null);
      return gone;
    },
  };
}

const outcomeUnknown = (cause: unknown): Fault =>
  new Fault('store_unknown', 'the thread that writes died, and the append may or may not have been stored; reload', {
    cause,
  });

/** The fault if the thread's program never started: nothing was stored. */
function unavailable(cause: unknown): Fault {
  const why = cause instanceof Error ? cause.message : 'it was ended';
  const message = `the thread that writes cannot be started (${why}); a store without ?writer=thread needs none`;
  return new Fault('store_unavailable', message, { cause });
}
