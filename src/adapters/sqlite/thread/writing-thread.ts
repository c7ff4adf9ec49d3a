/** The program of the thread that writes: it stores one group after the other, each with one commit, until it is told to end. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { commitAppends } from '../commit-appends.ts';
import { holdConnection } from '../connection.ts';
import { logCopies } from './log-copies.ts';
import { PROGRESS, refusedAppend, type ThreadMessage, type ThreadOrders } from './messages.ts';
import { unpackAppend } from './packed-append.ts';

const { file, busyTimeoutMs, spent, progress } = workerData as ThreadOrders;
const port = parentPort as MessagePort;
const counts = new Int32Array(progress);
const holder = holdConnection(file, { busyTimeoutMs, spent });
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

/** Whoever closes the file last copies what is left of its log and removes it. */
async function end(): Promise<void> {
  await copies.end();
  holder.close();
  port.close();
}

Atomics.store(counts, PROGRESS.begun, 1);
