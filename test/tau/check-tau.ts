import { spawn } from 'node:child_process';
import { once } from 'node:events';

const SCRIPT = new URL('../../scripts/check-tau.ts', import.meta.url).pathname;

/** Nine tasks of tau-bench, with the part of its database that they change. */
export const FIXTURE: string = new URL('./fixtures/', import.meta.url).pathname;

/** Five tasks of a suite whose tools are called through a dispatcher, with equal calls on purpose. */
export const LIBRARY: string = new URL('./library/', import.meta.url).pathname;

export interface Checked {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The last line of its output. */
  readonly last: string;
}

/** `npm run check:tau`, without npm. */
export async function checkTau(...args: readonly string[]): Promise<Checked> {
  const child = spawn(process.execPath, [SCRIPT, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, stdout, stderr, last: stdout.trim().split('\n').at(-1) ?? '' };
}
