import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CopyOptions, ThreadOptions } from './messages.ts';

/** The program next to this file, with the same extension: `.ts` in the source, `.js` in the build. */
const programOf = (name: string): URL => new URL(`${name}${extname(import.meta.url)}`, import.meta.url);

export type StartThread = (orders: ThreadOptions) => Worker;

export const startThread: StartThread = (workerData) => new Worker(programOf('writing-thread'), { workerData });

export type StartCopying = (orders: CopyOptions) => Worker;

export const startCopying: StartCopying = (workerData) => new Worker(programOf('copying-thread'), { workerData });
