/**
 * A process is stopped right after its intent is durable; another takes over and finishes; then the first one goes on as
 * if nothing had happened. And two take over at once. There is one effect, or a person who is asked.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const HOOK = new URL('./package-is-source.ts', import.meta.url).href;
const SCRIPT = new URL('./effect-process.ts', import.meta.url).pathname;

interface Life {
  readonly child: ChildProcess;
  /** What it printed, once it has ended. */
  readonly said: Promise<string>;
}

function live(folder: string, kind: string, ...told: readonly string[]): Life {
  const child = spawn(process.execPath, ['--import', HOOK, SCRIPT, folder, kind, ...told]);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, said: once(child, 'close').then(() => text) };
}

const stateOf = ({ child }: Life): string => readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.[0] ?? '';

async function untilStopped(life: Life): Promise<void> {
  while (stateOf(life) !== 'T') {
    if (life.child.exitCode !== null) throw new Error(await life.said);
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
  'a process that comes back after its successor sends nothing: a tool that is %s',
  async (kind, expected, effects) => {
    await inFolder(async (folder) => {
      const zombie = live(folder, kind, 'after_commit', '2', 'SIGSTOP');
      await untilStopped(zombie);
      expect(JSON.parse(await live(folder, kind).said)).toEqual(expected);
      zombie.child.kill('SIGCONT');
      expect(await zombie.said).toContain('reload it before going on');
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
  'two that take over at once: a tool that is %s',
  async (kind, expected) => {
    await inFolder(async (folder) => {
      await live(folder, kind, 'after_call', '1').said;
      const said = await Promise.all([live(folder, kind).said, live(folder, kind).said]);
      expect(said.filter((text) => text.startsWith('{')).map((text) => JSON.parse(text))).toContainEqual(expected);
      for (const text of said) expect(text).toMatch(/^\{|fenced|session_terminal|reload it/);
      expect(effectsIn(folder)).toBe(1);
    });
  },
  120_000,
);
