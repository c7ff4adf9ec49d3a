/** Two processes never drive one session at once: real processes, stopped, continued and killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const SCRIPT = new URL('./lease-process.ts', import.meta.url).pathname;
let folder: string;
const living: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ambit-lease-'));
});
afterEach(() => {
  for (const child of living.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

interface Life {
  readonly child: ChildProcess;
  readonly said: Promise<Readonly<Record<string, string>>>;
}

function live(what: string): Life {
  const child = spawn(process.execPath, [SCRIPT, folder, what], { stdio: ['ignore', 'pipe', 'inherit'] });
  living.push(child);
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const said = once(child, 'close').then(() => (text === '' ? {} : JSON.parse(text)));
  return { child, said };
}

const calls = (): readonly string[] =>
  existsSync(join(folder, 'calls.txt')) ? readFileSync(join(folder, 'calls.txt'), 'utf8').trim().split('\n') : [];

/** Resolves once the tool was called so often. */
async function untilCalled(tool: string, times = 1): Promise<void> {
  const reached = Promise.withResolvers<void>();
  const look = (): void => {
    if (calls().filter((name) => name === tool).length >= times) reached.resolve();
  };
  const watcher = watch(folder, look);
  look();
  await reached.promise;
  watcher.close();
}

const go = (): void => writeFileSync(join(folder, 'go.txt'), 'go');

test('a session that is driven elsewhere is not resumed here, and whoever tries is told by whom and until when', async () => {
  const driver = live('invoke');
  await untilCalled('slow');
  const { fault, message } = await live('resume').said;
  expect(fault).toBe('session_driven');
  expect(message).toContain(`process ${driver.child.pid} on `);
  expect(message).toMatch(/at least until \d{4}-\d\d-\d\dT/);
  go();
  expect(await driver.said).toEqual({ status: 'completed', code: 'SUCCESS' });
  expect(calls()).toEqual(['one', 'slow', 'three']);
}, 120_000);

test('after kill -9 the session is free at once, and goes on where it stood', async () => {
  const driver = live('invoke');
  await untilCalled('slow');
  driver.child.kill('SIGKILL');
  await driver.said;
  go();
  expect(await live('resume').said).toEqual({ status: 'completed', code: 'SUCCESS' });
  expect(calls()).toEqual(['one', 'slow', 'slow', 'three']);
}, 120_000);

test('an operator takes over from a process that stands still; when that one goes on it sends and writes nothing', async () => {
  const zombie = live('invoke');
  await untilCalled('slow');
  zombie.child.kill('SIGSTOP');
  expect((await live('resume').said)['fault']).toBe('session_driven');
  go();
  expect(await live('take').said).toEqual({ status: 'completed', code: 'SUCCESS' });
  zombie.child.kill('SIGCONT');
  expect((await zombie.said)['fault']).toMatch(/^(fenced|session_terminal)$/);
  expect(calls()).toEqual(['one', 'slow', 'slow', 'three']);
}, 120_000);

test('what another process says to a driven session is heard by its driver, which goes on driving', async () => {
  const driver = live('invoke');
  await untilCalled('slow');
  expect(await live('pause').said).toMatchObject({ status: 'paused' });
  go();
  expect(await driver.said).toEqual({ status: 'paused', code: null });
  expect(calls()).toEqual(['one', 'slow']);
  expect(await live('let_go_on').said).toEqual({ status: 'completed', code: 'SUCCESS' });
  expect(calls()).toEqual(['one', 'slow', 'three']);
}, 120_000);

test('a cancel from another process calls back what is in flight', async () => {
  const driver = live('invoke');
  await untilCalled('slow');
  await live('cancel').said;
  expect(await driver.said).toEqual({ status: 'cancelled', code: 'USER_CANCEL' });
  expect(calls()).toEqual(['one', 'slow']);
}, 120_000);
