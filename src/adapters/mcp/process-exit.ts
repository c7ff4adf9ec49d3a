import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Stream } from 'node:stream';
import { printable } from '../../model/printable.ts';

const CHANNEL = 'child_process';
const STDERR_LENGTH_MAX = 2_048;

/** Every process that is started while `start` runs. The transport keeps its own to itself; Node.js announces them. */
export async function processesStartedBy<T>(start: () => Promise<T>): Promise<readonly [T, readonly ChildProcess[]]> {
  const started: ChildProcess[] = [];
  const note = (message: unknown): void => {
    started.push((message as { process: ChildProcess }).process);
  };
  subscribe(CHANNEL, note);
  try {
    return [await start(), started];
  } finally {
    unsubscribe(CHANNEL, note);
  }
}

/** How a process ended, in words; null while it runs. */
export function exitOf(child: ChildProcess | undefined, lastWords: () => string): string | null {
  if (child === undefined || (child.exitCode === null && child.signalCode === null)) return null;
  const how = child.signalCode === null ? `exited with code ${child.exitCode}` : `was ended by ${child.signalCode}`;
  const words = lastWords();
  return words === '' ? `its process ${how}` : `its process ${how}: ${words}`;
}

/** The last line a server wrote to its standard error, which is where it says why it gave up. */
export function lastLine(stderr: Stream | null): () => string {
  let tail = '';
  stderr?.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString('utf8')).slice(-STDERR_LENGTH_MAX);
  });
  return () => printable(tail.trim().split('\n').at(-1) ?? '');
}
