import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../../model/fault.ts';
import { CRASH_ORDER, type CrashOrder } from './crash-points.ts';

export interface CrashSweepOptions {
  /**
   * The program and its arguments, for a folder that is empty at first and the same for every life of one run. The
   * program starts its run, or goes on with the one that it finds, and its last line says how that went.
   */
  readonly command: (folder: string) => readonly [program: string, ...args: string[]];
  /** Processes at the same time. */
  readonly abreast?: number;
}

/** One run whose process was killed once. */
export interface CrashedRun {
  /** The instant, counted from 1, and the names it has. */
  readonly instant: number;
  readonly names: readonly string[];
  /** The last line of the life after it. */
  readonly said: string;
  /** The folder of the run. It is gone when `look` has returned. */
  readonly folder: string;
}

/** Looks at a run that has come to rest. */
type Look<T> = (run: CrashedRun) => T | Promise<T>;

/** What was seen of a run, and where it was killed. */
export interface Swept<T> extends Omit<CrashedRun, 'folder'> {
  readonly seen: T;
}

/**
 * Runs a program once to learn its crash points, then once for each of them: killed there with SIGKILL, and started
 * again to go on. `look` is shown every run when it has come to rest, and its answers are given back in their order.
 */
export async function sweepCrashes<T>(
  { command, abreast = 1 }: CrashSweepOptions,
  look: Look<T>,
): Promise<readonly Swept<T>[]> {
  return await inFolder(async (cache) => {
    // A sweep starts the same program many times, and one that is killed leaves no compiled code behind.
    const program: Program = { command, env: { NODE_COMPILE_CACHE: cache, ...process.env } };
    return await sweepAll(program, abreast, look);
  });
}

interface Program extends Pick<CrashSweepOptions, 'command'> {
  readonly env: NodeJS.ProcessEnv;
}

async function sweepAll<T>(program: Program, abreast: number, look: Look<T>): Promise<readonly Swept<T>[]> {
  const instants = await learn(program);
  const swept: Swept<T>[] = [];
  const left = instants.map((names, place) => ({ names, instant: place + 1 }));
  const sweepOne = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { names, instant } = next;
      const about = { names, instant };
      swept.push(await inFolder(async (folder) => ({ ...about, ...(await crashOnce(program, folder, about, look)) })));
    }
  };
  await Promise.all(Array.from({ length: abreast }, sweepOne));
  return swept.toSorted((a, b) => a.instant - b.instant);
}

async function crashOnce<T>(
  program: Program,
  folder: string,
  { instant, names }: Pick<CrashedRun, 'instant' | 'names'>,
  look: Look<T>,
): Promise<{ readonly said: string; readonly seen: T }> {
  const first = await live(program, folder, { dieAt: instant, trace: null });
  if (first.signal !== 'SIGKILL') {
    throw new Fault('internal', `the program came to its end without instant ${instant}: it does not repeat itself`);
  }
  const { said } = await survive(program, folder, { dieAt: null, trace: null });
  return { said, seen: await look({ instant, names, said, folder }) };
}

/** The instants of a run that nobody disturbs, each with its names. */
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
  /** The last line of what it printed. */
  readonly said: string;
  readonly complained: string;
}

async function survive(program: Program, folder: string, order: CrashOrder): Promise<Ended> {
  const ended = await live(program, folder, order);
  if (ended.code === 0) return ended;
  throw new Fault('internal', `the program failed (${ended.code ?? ended.signal}): ${ended.complained.trim()}`);
}

async function live({ command, env }: Program, folder: string, order: CrashOrder): Promise<Ended> {
  const [file, ...args] = command(folder);
  const told = { ...env, [CRASH_ORDER]: JSON.stringify(order) };
  const child = spawn(file, args, { env: told, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, complained] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complained += text;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, said: out.trim().split('\n').at(-1) ?? '', complained };
}
