/** A whole run whose clock jumps while its process is dead: nothing is done twice, and it ends or waits for a person. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KINDS, type Kind } from './kinds.ts';
import { effectsIn, expectSound, type Fate, freshFolder, live } from './lives.ts';

const LONG = 600_000;
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

/** Forward: beyond what a key is kept for, beyond the run's time, a little. And back. */
const JUMPS_MS = [30 * 24 * HOUR_MS, 2 * HOUR_MS, 20 * SECOND_MS, -3 * SECOND_MS] as const;

/** The instant at which the money has moved and nobody has heard of it: the same for every kind that acts. */
async function paidAt(): Promise<number> {
  const folder = freshFolder();
  const trace = join(folder, 'instants.txt');
  await live(folder, 'key', { order: { trace } });
  const names = readFileSync(trace, 'utf8').trim().split('\n');
  return 1 + names.findIndex((line) => line.includes('"after pay"'));
}

/** Pays, dies before it could say so, and leaves the rest to a process that lives at another time. */
async function jump(kind: Kind, dieAt: number, offsetMs: number, fate: Fate): Promise<void> {
  const folder = freshFolder();
  expect(await live(folder, kind, { order: { dieAt } })).toMatchObject({ signal: 'SIGKILL' });
  expect(effectsIn(folder)).toBe(1);
  await expectSound(folder, kind, `${kind}, ${offsetMs} ms`, fate);
  expect(effectsIn(folder)).toBe(1);
}

const ACTING = KINDS.filter((kind) => kind !== 'read_only');

test.each(JUMPS_MS)(
  'the clock of the host says %i ms more after the crash',
  async (clockOffsetMs) => {
    const dieAt = await paidAt();
    for (const kind of ACTING) await jump(kind, dieAt, clockOffsetMs, { clockOffsetMs });
  },
  LONG,
);

const LIBRARIES = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib64/faketime/libfaketime.so.1',
  '/usr/local/lib/faketime/libfaketime.so.1',
];
const library = LIBRARIES.find((path) => existsSync(path)) ?? null;

describe.skipIf(library === null)('the clock of the machine (skipped where libfaketime is not installed)', () => {
  test.each(JUMPS_MS)(
    'the machine says %i ms more after the crash',
    async (offsetMs) => {
      const seconds = offsetMs / SECOND_MS;
      const env = {
        LD_PRELOAD: library ?? '',
        FAKETIME: `${seconds > 0 ? '+' : ''}${seconds}`,
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      };
      const dieAt = await paidAt();
      for (const kind of ACTING) await jump(kind, dieAt, offsetMs, { env });
    },
    LONG,
  );
});
