/** Kills a process that cancels a run with a lane, at each append of the cancellation; others approve and serve. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const HOOK = new URL('../../../e2e/crash/package-is-source.ts', import.meta.url).href;
const SCRIPT = new URL('./cancel-process.ts', import.meta.url).pathname;

interface ActResult {
  readonly signal: string | null;
  readonly report: unknown;
}

/** Runs one process until it exits or dies, and returns what it reported. */
function act(...args: readonly string[]): ActResult {
  const child = spawnSync(process.execPath, ['--import', HOOK, SCRIPT, ...args], { encoding: 'utf8' });
  if (child.signal === null && child.status !== 0) throw new Error(child.stderr);
  return { signal: child.signal, report: child.signal === null ? JSON.parse(child.stdout) : null };
}

function waitingRun(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-cancel-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  expect(act(folder, 'invoke').report).toEqual({ fault: null, parent: null, lane: null });
  return folder;
}

test('a payment is refused after the cancellation of its parent, and the run ends with its lane', () => {
  const folder = waitingRun();
  expect(act(folder, 'cancel', 'run_cancelled', 'boss').signal).toBe('SIGKILL');
  expect(act(folder, 'approve').report).toEqual({ fault: null, parent: 'USER_CANCEL', lane: 'PERMISSION_DENIED' });
  expect(existsSync(join(folder, 'world.txt'))).toBe(false);
});

test.each(['boss', 'boss/do_pay'])('a server finishes a cancellation that died after the frame of %s', (agent) => {
  const folder = waitingRun();
  expect(act(folder, 'cancel', 'run_cancelled', agent).signal).toBe('SIGKILL');
  const ended = { fault: null, parent: 'USER_CANCEL', lane: 'USER_CANCEL' };
  expect(act(folder, 'serve').report).toEqual(ended);
  expect(existsSync(join(folder, 'world.txt'))).toBe(false);
});

test('the same run pays if it is not cancelled', () => {
  const folder = waitingRun();
  expect(act(folder, 'approve').report).toEqual({ fault: null, parent: 'SUCCESS', lane: 'SUCCESS' });
  expect(existsSync(join(folder, 'world.txt'))).toBe(true);
});
