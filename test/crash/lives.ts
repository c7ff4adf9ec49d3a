import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { CRASH_ORDER, type CrashOrder } from '../../src/testing/crash-sweep/crash-points.ts';
import type { Kind, Standing } from './kinds.ts';

const SCRIPT = new URL('./sweep-process.ts', import.meta.url).pathname;
const CACHE = mkdtempSync(join(tmpdir(), 'ambit-compiled-'));
process.on('exit', () => rmSync(CACHE, { recursive: true, force: true }));

/** What happens to one process of a run. */
export interface Fate {
  /** A program that starts it and does something to it, such as `strace` with its arguments. */
  readonly through?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly order?: Partial<CrashOrder>;
  readonly clockOffsetMs?: number;
}

export interface Lived {
  readonly code: number | null;
  readonly signal: string | null;
  readonly said: string;
  readonly complained: string;
}

/** One process of the payment, from its start to whatever end it comes to. */
export async function live(folder: string, kind: Kind, fate: Fate = {}): Promise<Lived> {
  const { through = [], env = {}, order, clockOffsetMs = 0 } = fate;
  const [file = '', ...args] = [...through, process.execPath, SCRIPT, folder, kind, String(clockOffsetMs)];
  const told = order === undefined ? {} : { [CRASH_ORDER]: JSON.stringify(order) };
  const child = spawn(file, args, {
    env: { ...process.env, NODE_COMPILE_CACHE: CACHE, ...env, ...told },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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
 * A last life that nothing happens to. Whatever the ones before it met with: nothing was done twice, a run that says it
 * succeeded has had its effect, and one that did not ends with a code or waits for a person.
 */
export async function expectSound(folder: string, kind: Kind, what: string, fate: Fate = {}): Promise<Standing> {
  const { code, said, complained } = await live(folder, kind, fate);
  expect(code, `${what}: ${complained}`).toBe(0);
  const standing = JSON.parse(said) as Standing;
  const effects = effectsIn(folder);
  expect(effects, what).toBeLessThanOrEqual(1);
  if (standing.code === 'SUCCESS') expect(effects, what).toBe(1);
  else expect(standing.code ?? standing.waits, what).not.toBeNull();
  return standing;
}
