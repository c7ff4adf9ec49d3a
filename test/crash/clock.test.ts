/**
 * A run whose clock jumps while its process is dead: no effect happens twice, and the run ends or waits for a person.
 */
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { KINDS, type Kind } from './kinds.ts';
import { effectsIn, expectInvariants, freshFolder, type ProcessOptions, runProcess } from './run-process.ts';

const LONG = 600_000;
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

/** Forward beyond the lifetime of a key, beyond the run's time, by a little; and backward. */
const JUMPS_MS = [30 * 24 * HOUR_MS, 2 * HOUR_MS, 20 * SECOND_MS, -3 * SECOND_MS] as const;

/** Pays, dies before the payment is recorded, and continues in a process with another clock. */
async function jump(kind: Kind, offsetMs: number, options: ProcessOptions): Promise<void> {
  const folder = freshFolder();
  expect(await runProcess(folder, kind, { order: { dieAt: 'after pay' } })).toMatchObject({ signal: 'SIGKILL' });
  expect(effectsIn(folder)).toBe(1);
  await expectInvariants(folder, kind, `${kind}, ${offsetMs} ms`, options);
  expect(effectsIn(folder)).toBe(1);
}

const ACTING = KINDS.filter((kind) => kind !== 'read_only');

test.each(JUMPS_MS)(
  "pays once when the host's clock jumps by %i ms after the crash",
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

describe.skipIf(library === null)("the machine's clock (skipped where libfaketime is not installed)", () => {
  test.each(JUMPS_MS)(
    "pays once when the machine's clock jumps by %i ms after the crash",
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
