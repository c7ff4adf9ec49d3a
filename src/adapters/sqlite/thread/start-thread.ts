import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CopyOrders, ThreadOrders } from './messages.ts';

/** Beside this file, and in its language: as written, or as built. */
const programOf = (name: string): URL => new URL(`${name}${extname(import.meta.url)}`, import.meta.url);

export type StartThread = (orders: ThreadOrders) => Worker;

export const startThread: StartThread = (workerData) => new Worker(programOf('writing-thread'), { workerData });

export type StartCopying = (orders: CopyOrders) => Worker;

export const startCopying: StartCopying = (workerData) => new Worker(programOf('copying-thread'), { workerData });
