/** Two processes never drive one session at once: tests with real processes that are stopped, continued and killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const SCRIPT = new URL('./lease-process.ts', import.meta.url).pathname;
let folder: string;
const processes: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ambit-lease-'));
});
afterEach(() => {
  for (const child of processes.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

interface LeaseProcess {
  readonly child: ChildProcess;
  readonly output: Promise<Readonly<Record<string, string>>>;
}

function startProcess(what: string): LeaseProcess {
  const child = spawn(process.execPath, [SCRIPT, folder, what], { stdio: ['ignore', 'pipe', 'inherit'] });
  processes.push(child);
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const output = once(child, 'close').then(() => (text === '' ? {} : JSON.parse(text)));
  return { child, output };
}

const calls = (): readonly string[] =>
  existsSync(join(folder, 'calls.txt')) ? readFileSync(join(folder, 'calls.txt'), 'utf8').trim().split('\n') : [];

/** Resolves when the tool was called this many times. */
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

test('does not resume a session that another process drives, and names the driver and the lease end', async () => {
  const driver = startProcess('invoke');
  await untilCalled('slow');
  const { fault, message } = await startProcess('resume').output;
  expect(fault).toBe('session_driven');
  expect(message).toContain(`process ${driver.child.pid} on `);
  expect(message).toMatch(/at least until \d{4}-\d\d-\d\dT/);
  go();
  expect(await driver.output).toEqual({ status: 'completed', code: 'SUCCESS' });
  expect(calls()).toEqual(['one', 'slow', 'three']);
}, 120_000);

test('after kill -9 the session is free at once and continues from its last state', async () => {
  const driver = startProcess('invoke');
  await untilCalled('slow');
  driver.child.kill('SIGKILL');
  await driver.output;
  go();
  expect(await startProcess('resume').output).toEqual({ status: 'completed', code: 'SUCCESS' });
  expect(calls()).toEqual(['one', 'slow', 'slow', 'three']);
}, 120_000);

test('an operator takes over from a stopped process, which sends and writes nothing when it continues', async () => {
  const zombie = startProcess('invoke');
  await untilCalled('slow');
  zombie.child.kill('SIGSTOP');
  expect((await startProcess('resume').output)['fault']).toBe('session_driven');
  go();
  expect(await startProcess('take').output).toEqual({ status: 'completed', code: 'SUCCESS' });
  zombie.child.kill('SIGCONT');
  expect((await zombie.output)['fault']).toMatch(/^(fenced|session_terminal)$/);
  expect(calls()).toEqual(['one', 'slow', 'slow', 'three']);
}, 120_000);

test('a driver sees commands of other processes and keeps driving', async () => {
  const driver = startProcess('invoke');
  await untilCalled('slow');
  expect(await startProcess('pause').output).toMatchObject({ status: 'paused' });
  go();
  expect(await driver.output).toEqual({ status: 'paused', code: null });
  expect(calls()).toEqual(['one', 'slow']);
  expect(await startProcess('let_go_on').output).toEqual({ status: 'completed', code: 'SUCCESS' });
  expect(calls()).toEqual(['one', 'slow', 'three']);
}, 120_000);

test('a cancel from another process aborts the call in flight', async () => {
  const driver = startProcess('invoke');
  await untilCalled('slow');
  await startProcess('cancel').output;
  expect(await driver.output).toEqual({ status: 'cancelled', code: 'USER_CANCEL' });
  expect(calls()).toEqual(['one', 'slow']);
}, 120_000);
