import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { CRASH_ORDER, type CrashOrder } from '../../src/testing/crash-sweep/sweep.ts';
import type { Kind, RunEnd } from './kinds.ts';

const SCRIPT = new URL('./sweep-process.ts', import.meta.url).pathname;
const CACHE = mkdtempSync(join(tmpdir(), 'ambit-compiled-'));
process.on('exit', () => rmSync(CACHE, { recursive: true, force: true }));

/** The conditions under which one process of a run lives. */
export interface ProcessOptions {
  /** A program that starts the process, such as `strace` with its arguments. */
  readonly through?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly order?: Partial<CrashOrder>;
  readonly clockOffsetMs?: number;
}

export interface ProcessResult {
  readonly code: number | null;
  readonly signal: string | null;
  readonly lastLine: string;
  readonly stderr: string;
}

/** Runs one process of the payment until it exits. */
export async function runProcess(folder: string, kind: Kind, options: ProcessOptions = {}): Promise<ProcessResult> {
  const { through = [], env = {}, order, clockOffsetMs = 0 } = options;
  const [file = '', ...args] = [...through, process.execPath, SCRIPT, folder, kind, String(clockOffsetMs)];
  const orders = order === undefined ? {} : { [CRASH_ORDER]: JSON.stringify(order) };
  const child = spawn(file, args, {
    env: { ...process.env, NODE_COMPILE_CACHE: CACHE, ...env, ...orders },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, lastLine: stdout.trim().split('\n').at(-1) ?? '', stderr };
}

export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-fate-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function effectsIn(folder: string): number {
  const world = join(folder, 'world.txt');
  return existsSync(world) ? readFileSync(world, 'utf8').trim().split('\n').length : 0;
}

/**
 * Runs a last, undisturbed process and checks the invariants: at most one effect, exactly one if the run reports
 * success, and otherwise a terminal code or a person to wait for.
 */
export async function expectInvariants(
  folder: string,
  kind: Kind,
  what: string,
  options: ProcessOptions = {},
): Promise<RunEnd> {
  const { code, lastLine, stderr } = await runProcess(folder, kind, options);
  expect(code, `${what}: ${stderr}`).toBe(0);
  const end = JSON.parse(lastLine) as RunEnd;
  const effects = effectsIn(folder);
  expect(effects, what).toBeLessThanOrEqual(1);
  if (end.code === 'SUCCESS') expect(effects, what).toBe(1);
  else expect(end.code ?? end.waits, what).not.toBeNull();
  return end;
}
