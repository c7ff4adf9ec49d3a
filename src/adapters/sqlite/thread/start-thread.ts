import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ThreadOrders } from './messages.ts';

/** Beside this file, and in its language: as written, or as built. */
const PROGRAM = new URL(`writing-thread${extname(import.meta.url)}`, import.meta.url);

export type StartThread = (orders: ThreadOrders) => Worker;

export const startThread: StartThread = (workerData) => new Worker(PROGRAM, { workerData });
