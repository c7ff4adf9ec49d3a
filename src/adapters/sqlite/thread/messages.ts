import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Fault, type FaultCode } from '../../../model/fault/fault.ts';
import type { KeyPair } from '../../../ports/keys.ts';
import type { AppendOutcome } from '../commit-group.ts';
import type { FilePlace, SharedLockWait } from '../connection.ts';
import type { PackedAppend } from './packed-append.ts';

export interface ThreadOptions {
  readonly file: string;
  readonly busyTimeoutMs: number;
  readonly spent: SharedLockWait;
  readonly anchorKey?: KeyPair;
  /** The files that the journal has open; the thread writes to no others. */
  readonly place?: FilePlace | null;
  /** Two numbers, at the indexes of {@link PROGRESS}. */
  readonly progress: SharedArrayBuffer;
}

export interface CopyOptions {
  readonly file: string;
}

/** Null ends the copying thread. */
export type CopyRequest = 'copy' | null;

/** Shared counters that need no message: whether the thread's program has started, and how many groups are done. */
export const PROGRESS = { begun: 0, done: 1 } as const;

/** A group of appends to store with one commit; null ends the thread. */
export type ThreadMessage = readonly PackedAppend[] | null;

export type GroupReply = readonly (StoredAppend | RefusedAppend)[];

/** Whether its frame is the newest of its session and none of its calls was intended there before. */
type StoredAppend = boolean;

/** The parts of a Fault that can be sent between threads. */
interface RefusedAppend {
  readonly code: FaultCode;
  readonly message: string;
  readonly path: string | undefined;
}

export const refusedAppend = ({ code, message, path }: Fault): RefusedAppend => ({ code, message, path });

export function replyOutcome(reply: GroupReply[number]): AppendOutcome {
  if (typeof reply === 'boolean') return null;
  const { code, message, path } = reply;
  return new Fault(code, message, path === undefined ? undefined : { path });
}

/** The program next to this file, with the same extension: `.ts` in the source, `.js` in the build. */
const programOf = (name: string): URL => new URL(`${name}${extname(import.meta.url)}`, import.meta.url);

export type StartThread = (orders: ThreadOptions) => Worker;

export const startThread: StartThread = (workerData) => new Worker(programOf('writing-thread'), { workerData });

export type StartCopying = (orders: CopyOptions) => Worker;

export const startCopying: StartCopying = (workerData) => new Worker(programOf('copying-thread'), { workerData });
