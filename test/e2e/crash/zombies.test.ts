/**
 * A process is stopped right after its intent is durable, another takes over and finishes, then the first one
 * continues. Also two processes that take over at once. The result is one effect, or a person decides.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const HOOK = new URL('./package-is-source.ts', import.meta.url).href;
const SCRIPT = new URL('./effect-process.ts', import.meta.url).pathname;

interface StartedProcess {
  readonly child: ChildProcess;
  /** Its output, once it has exited. */
  readonly output: Promise<string>;
}

function startProcess(folder: string, kind: string, ...args: readonly string[]): StartedProcess {
  const child = spawn(process.execPath, ['--import', HOOK, SCRIPT, folder, kind, ...args]);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, output: once(child, 'close').then(() => text) };
}

const stateOf = ({ child }: StartedProcess): string =>
  readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.[0] ?? '';

async function untilStopped(life: StartedProcess): Promise<void> {
  while (stateOf(life) !== 'T') {
    if (life.child.exitCode !== null) throw new Error(await life.output);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

const effectsIn = (folder: string): number => {
  const world = join(folder, 'world.txt');
  return existsSync(world) ? readFileSync(world, 'utf8').trim().split('\n').length : 0;
};

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-zombie-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const SUCCESS = { code: 'SUCCESS', waits: null };
const ASKED = { code: null, waits: 'call_in_doubt' };

test.skipIf(!existsSync('/proc/self/stat')).each([
  ['probed', SUCCESS, 1],
  ['key', SUCCESS, 1],
  ['none', ASKED, 0],
] as const)(
  'a process that continues after its successor sends nothing: a tool that is %s',
  async (kind, expected, effects) => {
    await inFolder(async (folder) => {
      const zombie = startProcess(folder, kind, 'after_commit', '2', 'SIGSTOP');
      await untilStopped(zombie);
      expect(JSON.parse(await startProcess(folder, kind).output)).toEqual(expected);
      zombie.child.kill('SIGCONT');
      expect(await zombie.output).toContain('reload it before going on');
      expect(effectsIn(folder)).toBe(effects);
    });
  },
  120_000,
);

test.each([
  ['probed', SUCCESS],
  ['key', SUCCESS],
  ['none', ASKED],
] as const)(
  'two processes take over at once: a tool that is %s',
  async (kind, expected) => {
    await inFolder(async (folder) => {
      await startProcess(folder, kind, 'after_call', '1').output;
      const outputs = await Promise.all([startProcess(folder, kind).output, startProcess(folder, kind).output]);
      expect(outputs.filter((text) => text.startsWith('{')).map((text) => JSON.parse(text))).toContainEqual(expected);
      for (const text of outputs) expect(text).toMatch(/^\{|fenced|session_terminal|reload it/);
      expect(effectsIn(folder)).toBe(1);
    });
  },
  120_000,
);
