import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { effectsIn, expectInvariants, freshFolder, type ProcessOptions, runProcess } from './run-process.ts';

const LONG = { timeout: 900_000 };
const canTrace = spawnSync('strace', ['-e', 'trace=none', 'true']).status === 0;

/** The strace arguments that inject a fault at the n-th of these system calls. */
const injecting = (calls: string, fault: string, log: string): readonly string[] => [
  ...['strace', '-f', '-o', log],
  ...['-e', `trace=${calls}`, '-e', `inject=${calls}:${fault}`],
];

/** How often the busiest thread of an undisturbed run makes such a call. strace counts per thread. */
async function timesOf(calls: string, env: ProcessOptions['env'] = {}): Promise<number> {
  const folder = freshFolder();
  const log = join(folder, 'strace.txt');
  const through = ['strace', '-f', '--seccomp-bpf', '-o', log, '-e', `trace=${calls}`];
  const { code, stderr } = await runProcess(folder, 'neither', { through, env });
  expect(code, stderr).toBe(0);
  const made = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes('('));
  const byThread = Map.groupBy(made, (line) => line.split(' ')[0]);
  return Math.max(...[...byThread.values()].map(({ length }) => length));
}

/**
 * At most `places` numbers from 1 to n, evenly spread, including the first and the last; the middle one for one place.
 */
const spread = (n: number, places: number): readonly number[] =>
  places === 1
    ? [Math.ceil(n / 2)]
    : [...new Set(Array.from({ length: places }, (_, at) => 1 + Math.round((at * (n - 1)) / (places - 1))))];

/** Fails if the fault did not happen, because such a test proves nothing. */
const expectInjected = (folder: string): void =>
  expect(readFileSync(join(folder, 'strace.txt'), 'utf8')).toContain('(INJECTED)');

const SYNC = 'fsync,fdatasync';

async function surviveKillAtFsync(places: number): Promise<void> {
  const times = await timesOf(SYNC);
  expect(times).toBeGreaterThan(4);
  for (const n of spread(times, places)) {
    for (const kind of ['key', 'neither'] as const) {
      const folder = freshFolder();
      const through = injecting(SYNC, `signal=SIGKILL:when=${n}`, join(folder, 'strace.txt'));
      const killed = await runProcess(folder, kind, { through });
      const what = `${kind}, killed at fsync ${n}`;
      expect(killed.signal, what).toBe('SIGKILL');
      const { code, waits } = await expectInvariants(folder, kind, what);
      // A tool with a key is never in doubt, and the kill is the only fault, so the run has to succeed.
      if (kind === 'key') expect({ code, effects: effectsIn(folder) }, what).toEqual({ code: 'SUCCESS', effects: 1 });
      else expect(code === 'SUCCESS' || waits === 'call_in_doubt', what).toBe(true);
    }
  }
}

async function surviveFailedFsync(places: number): Promise<void> {
  const times = await timesOf(SYNC);
  for (const n of spread(times, places)) {
    const folder = freshFolder();
    const through = injecting(SYNC, `error=EIO:when=${n}`, join(folder, 'strace.txt'));
    await runProcess(folder, 'neither', { through });
    expectInjected(folder);
    await expectInvariants(folder, 'neither', `EIO at fsync ${n}`);
  }
}

async function surviveFullDisk(places: number): Promise<void> {
  const times = await timesOf('pwrite64');
  expect(times).toBeGreaterThan(10);
  for (const n of spread(times, places)) {
    const folder = freshFolder();
    const through = injecting('pwrite64', `error=ENOSPC:when=${n}+`, join(folder, 'strace.txt'));
    await runProcess(folder, 'neither', { through });
    expectInjected(folder);
    await expectInvariants(folder, 'neither', `ENOSPC from write ${n} on`);
  }
}

interface ThreadFault {
  readonly calls: string;
  readonly fault: string;
  /** `+` if every later call fails too. */
  readonly on: '' | '+';
}

async function surviveThreadFault({ calls, fault, on }: ThreadFault, places: number): Promise<void> {
  const env = { AMBIT_SWEEP_WRITER: 'thread' };
  const times = await timesOf(calls, env);
  expect(times).toBeGreaterThan(4);
  for (const n of spread(times, places)) {
    const folder = freshFolder();
    const through = injecting(calls, `${fault}:when=${n}${on}`, join(folder, 'strace.txt'));
    const { signal } = await runProcess(folder, 'neither', { through, env });
    if (fault === 'signal=SIGKILL') expect(signal).toBe('SIGKILL');
    else expectInjected(folder);
    await expectInvariants(folder, 'neither', `${fault} at ${n}, a thread writes`);
  }
}

/** Registers the tests of a run whose disk fails: each fault at this many places, and at half as many in a thread. */
export function testDiskFaults(places: number): void {
  describe.skipIf(!canTrace)('disk faults (skipped where strace is not installed or may not trace)', () => {
    test('continues in the next process when killed at an fsync', LONG, () => surviveKillAtFsync(places));

    test('a failed fsync loses no effect and repeats none', LONG, () => surviveFailedFsync(places));

    test('a full disk loses no effect and repeats none', LONG, () => surviveFullDisk(places));

    test.each<[string, ThreadFault]>([
      ['a kill at an fsync', { calls: SYNC, fault: 'signal=SIGKILL', on: '' }],
      ['a failed fsync', { calls: SYNC, fault: 'error=EIO', on: '' }],
      ['a disk that is full from some write on', { calls: 'pwrite64', fault: 'error=ENOSPC', on: '+' }],
    ])('with a writer thread, %s loses no effect and repeats none', LONG, (_, fault) =>
      surviveThreadFault(fault, Math.ceil(places / 2)),
    );
  });
}
