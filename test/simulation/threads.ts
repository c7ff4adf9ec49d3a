import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { addUp, EMPTY, type Summary } from './summary.ts';

/** Runs a share of the seeds on each core; seeds are independent of each other. */
export async function sweepOnAllCores(from: number, count: number): Promise<Summary> {
  const threads = Math.max(1, Math.min(availableParallelism(), count));
  const share = Math.ceil(count / threads);
  const parts = Array.from({ length: threads }, (_, index) => {
    const first = index * share;
    return runShare(from + first, Math.max(0, Math.min(share, count - first)));
  });
  return (await Promise.all(parts)).reduce(addUp, EMPTY);
}

function runShare(from: number, count: number): Promise<Summary> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { from, count } });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
