import type { Worker } from 'node:worker_threads';
import { Fault } from '../../../model/fault.ts';
import type { Group } from '../group-queue.ts';
import { type GroupReply, PROGRESS, type ThreadMessage } from './messages.ts';
import { packAppend } from './packed-append.ts';

/** One thread, and the groups it has yet to answer for. It keeps the process alive while there are any. */
export interface WritingWorker {
  /** How many of the groups it was given it has yet to store. */
  behind(): number;
  /** Throws where the group holds something that cannot be copied to a thread; then nothing of it was given. */
  write(group: Group): void;
  /** Stores what was given before, and ends. */
  end(): Promise<void>;
}

interface Listener {
  answered(group: Group, reply: GroupReply): void;
  /** The thread is gone, and these groups with it. */
  ended(open: readonly Group[], fault: Fault): void;
}

export function writingWorker(worker: Worker, progress: Int32Array, listener: Listener): WritingWorker {
  const open: Group[] = [];
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  let given = 0;
  let isEnding = false;
  let cause: unknown;
  const post = (message: ThreadMessage): void => {
    worker.postMessage(message);
    worker.ref();
  };
  worker.on('message', (reply: GroupReply) => {
    const group = open.shift();
    // While it ends, whoever closes the journal waits for it.
    if (open.length === 0 && !isEnding) worker.unref();
    if (group !== undefined) listener.answered(group, reply);
  });
  worker.on('error', (error) => {
    cause = error;
  });
  worker.on('exit', () => {
    const hasBegun = Atomics.load(progress, PROGRESS.begun) === 1;
    listener.ended(open.splice(0), hasBegun ? unknown(cause) : unavailable(cause));
    resolve();
  });
  // Whoever listens to a thread waits for it, until this: so it comes last.
  worker.unref();
  return {
    behind: () => given - Atomics.load(progress, PROGRESS.done),
    write: (group) => {
      post(group.map(({ append }) => packAppend(append)));
      given += 1;
      open.push(group);
    },
    end: () => {
      isEnding = true;
      post(null);
      return gone;
    },
  };
}

const unknown = (cause: unknown): Fault =>
  new Fault('store_unknown', 'the thread that writes died, and the append may or may not have been stored; reload', {
    cause,
  });

/** Nothing was stored: the program was not even begun. */
export function unavailable(cause: unknown): Fault {
  const why = cause instanceof Error ? cause.message : 'it was ended';
  const message = `the thread that writes cannot be started (${why}); a store without ?writer=thread needs none`;
  return new Fault('store_unavailable', message, { cause });
}
