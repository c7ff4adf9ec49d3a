import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../../model/fault/fault.ts';
import { CRASH_ORDER, type CrashOrder } from './crash-points.ts';

export interface CrashSweepOptions {
  /**
   * The program and its arguments for a folder, which is empty at first and the same for every process of one run. The
   * program starts its run, or continues the one it finds, and prints the outcome as its last line.
   */
  readonly command: (folder: string) => readonly [program: string, ...args: string[]];
  /** Number of processes at a time. */
  readonly concurrency?: number;
}

/** One run whose process was killed once. */
export interface CrashedRun {
  /** The number of the crash point, from 1, and its names. */
  readonly instant: number;
  readonly names: readonly string[];
  /** The last line printed by the process that continued the run. */
  readonly lastLine: string;
  /** The run's folder. It is deleted after `look` returns. */
  readonly folder: string;
}

/** Inspects a run that has finished or waits. */
type Look<T> = (run: CrashedRun) => T | Promise<T>;

/** The result of `look` for one run, and the point at which it was killed. */
export interface SweptRun<T> extends Omit<CrashedRun, 'folder'> {
  readonly seen: T;
}

/**
 * Runs a program once to learn its crash points, then once for each: killed there with SIGKILL, and started again to
 * continue. Calls `look` for every run and returns its results in the order of the crash points.
 */
export async function sweepCrashes<T>(
  { command, concurrency = 1 }: CrashSweepOptions,
  look: Look<T>,
): Promise<readonly SweptRun<T>[]> {
  return await inFolder(async (cache) => {
    // Shared by all processes, because a killed process leaves no compile cache behind.
    const program: Program = { command, env: { NODE_COMPILE_CACHE: cache, ...process.env } };
    return await sweepAll(program, concurrency, look);
  });
}

interface Program extends Pick<CrashSweepOptions, 'command'> {
  readonly env: NodeJS.ProcessEnv;
}

async function sweepAll<T>(program: Program, concurrency: number, look: Look<T>): Promise<readonly SweptRun<T>[]> {
  const instants = await learn(program);
  const swept: SweptRun<T>[] = [];
  const left = instants.map((names, place) => ({ names, instant: place + 1 }));
  const sweepOne = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { names, instant } = next;
      const about = { names, instant };
      swept.push(await inFolder(async (folder) => ({ ...about, ...(await crashOnce(program, folder, about, look)) })));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, sweepOne));
  return swept.toSorted((a, b) => a.instant - b.instant);
}

async function crashOnce<T>(
  program: Program,
  folder: string,
  { instant, names }: Pick<CrashedRun, 'instant' | 'names'>,
  look: Look<T>,
): Promise<{ readonly lastLine: string; readonly seen: T }> {
  const first = await live(program, folder, { dieAt: instant, trace: null });
  if (first.signal !== 'SIGKILL') {
    throw new Fault('internal', `the program came to its end without instant ${instant}: it does not repeat itself`);
  }
  const { lastLine } = await survive(program, folder, { dieAt: null, trace: null });
  return { lastLine, seen: await look({ instant, names, lastLine, folder }) };
}

/** The crash points of an undisturbed run, each with its names. */
async function learn(program: Program): Promise<readonly (readonly string[])[]> {
  return await inFolder(async (folder) => {
    const trace = join(folder, 'instants.txt');
    await survive(program, folder, { dieAt: null, trace });
    const lines = (await readFile(trace, 'utf8').catch(() => '')).trim();
    if (lines === '') throw new Fault('internal', 'the program has no crash points: see crashPoints()');
    return lines.split('\n').map((line) => JSON.parse(line) as readonly string[]);
  });
}

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-crash-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  /** The last line of its output. */
  readonly lastLine: string;
  readonly complained: string;
}

async function survive(program: Program, folder: string, order: CrashOrder): Promise<Ended> {
  const ended = await live(program, folder, order);
  if (ended.code === 0) return ended;
  throw new Fault('internal', `the program failed (${ended.code ?? ended.signal}): ${ended.complained.trim()}`);
}

async function live({ command, env }: Program, folder: string, order: CrashOrder): Promise<Ended> {
  const [file, ...args] = command(folder);
  const childEnv = { ...env, [CRASH_ORDER]: JSON.stringify(order) };
  const child = spawn(file, args, { env: childEnv, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, complained] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complained += text;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, lastLine: out.trim().split('\n').at(-1) ?? '', complained };
}
