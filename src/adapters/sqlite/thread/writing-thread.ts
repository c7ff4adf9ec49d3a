import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { commitAppends } from '../commit-group.ts';
import { holdConnection } from '../connection.ts';
import { logCopies } from './log-copies.ts';
import { PROGRESS, refusedAppend, type ThreadMessage, type ThreadOptions } from './messages.ts';
import { unpackAppend } from './packed-append.ts';

/** The program of the writing thread. It stores one group per commit until it receives null. */

const { file, progress, ...options } = workerData as ThreadOptions;
const port = parentPort as MessagePort;
const counts = new Int32Array(progress);
const holder = holdConnection(file, options);
const copies = logCopies(file);

port.on('message', (message: ThreadMessage) => {
  if (message === null) {
    void end();
    return;
  }
  const appends = message.map(unpackAppend);
  const outcomes = commitAppends(holder, appends);
  Atomics.add(counts, PROGRESS.done, 1);
  const known = holder.current()?.known;
  port.postMessage(
    outcomes.map((fault, index) => {
      if (fault !== null) return refusedAppend(fault);
      const append = appends[index];
      return append !== undefined && known?.isAllNew(append.frame) === true;
    }),
  );
  copies.stored(appends);
});

/** The last connection that closes the file copies the rest of the log and removes it. */
async function end(): Promise<void> {
  await copies.end();
  holder.close();
  port.close();
}

Atomics.store(counts, PROGRESS.begun, 1);
