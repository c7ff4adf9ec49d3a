/** Runs one share of a sweep in a thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { SIMULATOR } from './parts.ts';
import { EMPTY, type Summary, tally } from './summary.ts';

const { from, count } = workerData as { readonly from: number; readonly count: number };
let summary: Summary = EMPTY;
for (let seed = from; seed < from + count; seed += 1) summary = tally(summary, SIMULATOR.run(seed));
parentPort?.postMessage(summary);
