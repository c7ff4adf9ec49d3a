/** A whole run whose disk fails under it: what the kernel of the machine says no to, the run survives or says so. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { effectsIn, expectSound, type Fate, freshFolder, live } from './lives.ts';

const LONG = 900_000;
const canTrace = spawnSync('strace', ['-e', 'trace=none', 'true']).status === 0;

/** The program under strace, which does something at the n-th of these system calls. */
const injecting = (calls: string, fault: string, log: string): readonly string[] => [
  ...['strace', '-f', '-o', log],
  ...['-e', `trace=${calls}`, '-e', `inject=${calls}:${fault}`],
];

/** How often the busiest thread of a run that nobody disturbs makes such a call: strace counts for each by itself. */
async function timesOf(calls: string, env: Fate['env'] = {}): Promise<number> {
  const folder = freshFolder();
  const log = join(folder, 'strace.txt');
  const through = ['strace', '-f', '--seccomp-bpf', '-o', log, '-e', `trace=${calls}`];
  const { code, complained } = await live(folder, 'neither', { through, env });
  expect(code, complained).toBe(0);
  const made = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes('('));
  const byThread = Map.groupBy(made, (line) => line.split(' ')[0]);
  return Math.max(...[...byThread.values()].map(({ length }) => length));
}

/** How many places a fault is put at. A run takes seconds under strace; `AMBIT_FAULT_PLACES=100` tries them all. */
const PLACES = Number(process.env['AMBIT_FAULT_PLACES'] ?? 5);

/** At most so many of the first n, evenly spread, the first and the last among them. */
const spread = (n: number, places = PLACES): readonly number[] => [
  ...new Set(Array.from({ length: places }, (_, at) => 1 + Math.round((at * (n - 1)) / (places - 1)))),
];

/** A fault that did not happen proves nothing. */
const expectInjected = (folder: string): void =>
  expect(readFileSync(join(folder, 'strace.txt'), 'utf8')).toContain('(INJECTED)');

const SYNC = 'fsync,fdatasync';

describe.skipIf(!canTrace)('faults of the disk (skipped where strace is not installed or may not trace)', () => {
  test(
    'killed at every fsync, a run goes on in the next process',
    async () => {
      const times = await timesOf(SYNC);
      expect(times).toBeGreaterThan(4);
      for (const n of spread(times)) {
        for (const kind of ['key', 'neither'] as const) {
          const folder = freshFolder();
          const through = injecting(SYNC, `signal=SIGKILL:when=${n}`, join(folder, 'strace.txt'));
          const killed = await live(folder, kind, { through });
          const what = `${kind}, killed at fsync ${n}`;
          expect(killed.signal, what).toBe('SIGKILL');
          const { code, waits } = await expectSound(folder, kind, what);
          // The kill is all that happened: a tool with a key is never in doubt, and nothing else can keep the run from its end.
          if (kind === 'key')
            expect({ code, effects: effectsIn(folder) }, what).toEqual({ code: 'SUCCESS', effects: 1 });
          else expect(code === 'SUCCESS' || waits === 'call_in_doubt', what).toBe(true);
        }
      }
    },
    LONG,
  );

  test(
    'an fsync that fails loses nothing and repeats nothing',
    async () => {
      const times = await timesOf(SYNC);
      for (const n of spread(times)) {
        const folder = freshFolder();
        const through = injecting(SYNC, `error=EIO:when=${n}`, join(folder, 'strace.txt'));
        await live(folder, 'neither', { through });
        expectInjected(folder);
        await expectSound(folder, 'neither', `EIO at fsync ${n}`);
      }
    },
    LONG,
  );

  test(
    'a disk that is full at some write loses nothing and repeats nothing',
    async () => {
      const times = await timesOf('pwrite64');
      expect(times).toBeGreaterThan(10);
      for (const n of spread(times)) {
        const folder = freshFolder();
        const through = injecting('pwrite64', `error=ENOSPC:when=${n}+`, join(folder, 'strace.txt'));
        await live(folder, 'neither', { through });
        expectInjected(folder);
        await expectSound(folder, 'neither', `ENOSPC from write ${n} on`);
      }
    },
    LONG,
  );

  test.each([
    ['killed at an fsync', SYNC, 'signal=SIGKILL', ''],
    ['an fsync that fails', SYNC, 'error=EIO', ''],
    ['a disk that is full from some write on', 'pwrite64', 'error=ENOSPC', '+'],
  ])(
    'where a thread writes: %s loses nothing and repeats nothing',
    async (_, calls, fault, on) => {
      const env = { AMBIT_SWEEP_WRITER: 'thread' };
      const times = await timesOf(calls, env);
      expect(times).toBeGreaterThan(4);
      for (const n of spread(times, Math.ceil(PLACES / 2))) {
        const folder = freshFolder();
        const through = injecting(calls, `${fault}:when=${n}${on}`, join(folder, 'strace.txt'));
        const { signal } = await live(folder, 'neither', { through, env });
        if (fault === 'signal=SIGKILL') expect(signal).toBe('SIGKILL');
        else expectInjected(folder);
        await expectSound(folder, 'neither', `${fault} at ${n}, a thread writes`);
      }
    },
    LONG,
  );
});
