/** A whole run whose clock jumps while its process is dead: nothing is done twice, and it ends or waits for a person. */
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { KINDS, type Kind } from './kinds.ts';
import { effectsIn, expectSound, type Fate, freshFolder, live } from './lives.ts';

const LONG = 600_000;
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

/** Forward: beyond what a key is kept for, beyond the run's time, a little. And back. */
const JUMPS_MS = [30 * 24 * HOUR_MS, 2 * HOUR_MS, 20 * SECOND_MS, -3 * SECOND_MS] as const;

/** Pays, dies before it could say so, and leaves the rest to a process that lives at another time. */
async function jump(kind: Kind, offsetMs: number, fate: Fate): Promise<void> {
  const folder = freshFolder();
  expect(await live(folder, kind, { order: { dieAt: 'after pay' } })).toMatchObject({ signal: 'SIGKILL' });
  expect(effectsIn(folder)).toBe(1);
  await expectSound(folder, kind, `${kind}, ${offsetMs} ms`, fate);
  expect(effectsIn(folder)).toBe(1);
}

const ACTING = KINDS.filter((kind) => kind !== 'read_only');

test.each(JUMPS_MS)(
  'the clock of the host says %i ms more after the crash',
  async (clockOffsetMs) => {
    for (const kind of ACTING) await jump(kind, clockOffsetMs, { clockOffsetMs });
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
      for (const kind of ACTING) await jump(kind, offsetMs, { env });
    },
    LONG,
  );
});
