import type { Worker } from 'node:worker_threads';
import type { Append } from '../../../ports/journal.ts';
import type { CopyRequest } from './messages.ts';
import { type StartCopying, startCopying } from './start-thread.ts';

/** About a thousand pages of log, which are copied while the next ones are written. */
const TEXT_BETWEEN_COPIES = 1_500_000;

export interface LogCopies {
  /** These were stored, and whoever waited for them is answered. */
  stored(appends: readonly Append[]): void;
  /** What was asked for is done, and the file is let go. */
  end(): Promise<void>;
}

/**
 * Has the log copied back into the file by a thread of its own, beside the groups that are being stored. SQLite does it
 * inside a commit, once there is enough of it, and then everybody of that group waits for the copying as well: that
 * stays for what is left of the log by then, and for all of it where there is no such thread.
 */
export function logCopies(file: string, start: StartCopying = startCopying): LogCopies {
  let text = 0;
  let copying: Copying | null = null;
  return {
    stored: (appends) => {
      for (const { frame, blobs } of appends) {
        text += frame.events.length;
        for (const blob of blobs) text += blob.text.length;
      }
      if (text < TEXT_BETWEEN_COPIES) return;
      text = 0;
      copying ??= begun(file, start);
      copying.ask('copy');
    },
    end: async () => {
      copying?.ask(null);
      await copying?.gone;
    },
  };
}

interface Copying {
  ask(request: CopyRequest): void;
  readonly gone: Promise<void>;
}

/** A thread that cannot be started or dies is not started again: nothing depends on it. */
function begun(file: string, start: StartCopying): Copying {
  let worker: Worker;
  try {
    worker = start({ file });
  } catch {
    return { ask: () => undefined, gone: Promise.resolve() };
  }
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  worker.on('error', () => undefined);
  worker.on('exit', () => resolve());
  return { ask: (request) => worker.postMessage(request), gone };
}
