import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventBody } from '../../model/events/event.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { BoundTool } from '../../ports/bound-tool.ts';
import type { Journal } from '../../ports/journal/journal.ts';

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

/** Durable events, with their names in crash points. */
const MARKS: Readonly<Partial<Record<EventBody['type'], string>>> = {
  goal_received: 'goal',
  plan_proposed: 'plan',
  gate_opened: 'gate',
  gate_decided: 'gate decision',
  step_attempted: 'intent',
  step_observed: 'observation',
  call_reconciled: 'observation',
  step_judged: 'verdict',
  run_escalated: 'escalation',
  escalation_decided: 'escalation decision',
  run_terminated: 'terminal',
};

/** The points at which a process can be killed. A point may have several names, one per event of its frame. */
export interface CrashPoints {
  /** Kills before a frame is offered to the store, and as soon as it is durable. */
  journal(journal: Journal): Journal;
  /** Kills before the tool does anything, and after it has done everything and before it answers. */
  tool(tool: BoundTool): BoundTool;
  /** A custom point, such as the middle of a tool's work. */
  at(...names: readonly string[]): void;
}

/** When a process of a sweep dies. */
export interface CrashOrder {
  /** The number of the point to die at, from 1, or the first point with this name; null for a process that survives. */
  readonly dieAt: number | string | null;
  /** A file that gets one line per point: a JSON list of its names. */
  readonly trace: string | null;
}

/** The environment variable through which `sweepCrashes` passes a `CrashOrder` to its processes. */
export const CRASH_ORDER = 'AMBIT_CRASH';

/** Crash points that kill this process with SIGKILL as the sweep ordered. Outside a sweep they do nothing. */
export function crashPoints(order: CrashOrder = orderOf(process.env[CRASH_ORDER])): CrashPoints {
  let instant = 0;
  const at = (...names: readonly string[]): void => {
    if (names.length === 0) return;
    instant += 1;
    if (order.trace !== null) appendFileSync(order.trace, `${JSON.stringify(names)}\n`);
    const isDue = typeof order.dieAt === 'string' ? names.includes(order.dieAt) : instant === order.dieAt;
    if (isDue) process.kill(process.pid, 'SIGKILL');
  };
  return {
    at,
    journal: (journal) => ({
      ...journal,
      append: async (append) => {
        const marks = marksIn(append.frame.events);
        at(...marks.map((mark) => `before ${mark}`));
        await journal.append(append);
        at(...marks.map((mark) => `after ${mark}`));
      },
    }),
    tool: (tool) => ({
      ...tool,
      execute: async (args, context) => {
        at(`before ${tool.spec.name}`);
        const answer = await tool.execute(args, context);
        at(`after ${tool.spec.name}`);
        return answer;
      },
    }),
  };
}

function marksIn(events: string): readonly string[] {
  const types = (JSON.parse(events) as readonly EventBody[]).map(({ type }) => type);
  return [...new Set(types.flatMap((type) => MARKS[type] ?? []))];
}

const UNHARMED: CrashOrder = Object.freeze({ dieAt: null, trace: null });

function orderOf(text: string | undefined): CrashOrder {
  if (text === undefined || text === '') return UNHARMED;
  try {
    const { dieAt = null, trace = null } = JSON.parse(text) as Partial<CrashOrder>;
    return { dieAt, trace };
  } catch (cause) {
    throw new Fault('input_invalid', `${CRASH_ORDER} may be set by a crash sweep only`, { cause });
  }
}
