import { Fault, type FaultCode } from '../../../model/fault.ts';
import type { AppendOutcome } from '../commit-group.ts';
import type { SpentSince } from '../patience.ts';
import type { PackedAppend } from './packed-append.ts';

/** What a thread is started with. */
export interface ThreadOrders {
  readonly file: string;
  readonly busyTimeoutMs: number;
  readonly spent: SpentSince;
  /** Two numbers, at the places of {@link PROGRESS}. */
  readonly progress: SharedArrayBuffer;
}

/** What the thread that copies the log is started with. */
export interface CopyOrders {
  readonly file: string;
}

/** Null asks the thread that copies to end. */
export type CopyRequest = 'copy' | null;

/** What the other side reads without waiting for a message: whether the program has begun, and how many groups are done. */
export const PROGRESS = { begun: 0, done: 1 } as const;

/** A group of appends, to be stored with one commit; null asks the thread to end. */
export type ThreadMessage = readonly PackedAppend[] | null;

/** What became of each append of a group: that it is stored, or why it is not. */
export type GroupReply = readonly (StoredAppend | RefusedAppend)[];

/** Whether its frame is known to be the newest of its session, with nothing intended that was intended there before. */
type StoredAppend = boolean;

/** A Fault as far as it can cross from thread to thread. */
interface RefusedAppend {
  readonly code: FaultCode;
  readonly message: string;
  readonly path: string | undefined;
}

export const refusedAppend = ({ code, message, path }: Fault): RefusedAppend => ({ code, message, path });

export function outcomeOf(reply: GroupReply[number]): AppendOutcome {
  if (typeof reply === 'boolean') return null;
  const { code, message, path } = reply;
  return new Fault(code, message, path === undefined ? undefined : { path });
}
