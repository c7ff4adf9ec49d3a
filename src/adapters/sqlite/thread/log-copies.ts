import type { Worker } from 'node:worker_threads';
import type { Append } from '../../../ports/journal/journal.ts';
import { type CopyRequest, type StartCopying, startCopying } from './messages.ts';

/** About a thousand pages of log, which are copied while the next ones are written. */
const TEXT_BETWEEN_COPIES = 1_500_000;

export interface LogCopies {
  /** Counts stored appends, after their callers were answered. */
  stored(appends: readonly Append[]): void;
  /** Resolves when all requested copies are done and the file is closed. */
  end(): Promise<void>;
}

/**
 * Copies the log back into the file on a separate thread, while groups are stored. SQLite would do it inside a commit,
 * and all appends of that group would wait. SQLite still copies the rest of the log, and all of it without the thread.
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
      copying ??= startCopier(file, start);
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

/** A thread that cannot be started or dies is not restarted, because nothing depends on it. */
function startCopier(file: string, start: StartCopying): Copying {
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
