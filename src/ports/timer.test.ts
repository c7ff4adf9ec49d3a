/** Every timer calls `wake` once, or not at all after a cancel. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemTimer } from '../adapters/node/system-clock.ts';
import { simulatedClock } from '../testing/simulated-clock.ts';
import { type Timer, wakeAt } from './clock.ts';

interface TimerSetup {
  readonly timer: Timer;
  readonly now: () => number;
  readonly pass: (ms: number) => Promise<void>;
}

const simulated = (): TimerSetup => {
  const clock = simulatedClock(1_000);
  const pass = async (ms: number): Promise<void> => {
    clock.advanceTo(clock.nowMs() + ms);
    for (let ticks = 0; ticks < 5; ticks += 1) await Promise.resolve();
  };
  return { timer: clock, now: clock.nowMs, pass };
};

const TIMERS: readonly [string, () => TimerSetup][] = [
  ['the system timer', () => ({ timer: systemTimer, now: Date.now, pass: (ms) => pass(ms) })],
  ['a simulated clock', simulated],
  [
    'a timer with `until` only',
    () => {
      const { timer, ...bench } = simulated();
      return { ...bench, timer: { until: (at, signal) => timer.until(at, signal) } };
    },
  ],
];

const pass = async (ms: number): Promise<void> => {
  await vi.advanceTimersByTimeAsync(ms);
};

const broken = (): never => expect.unreachable();

describe.each(TIMERS)('%s', (_name, open) => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('wakes once, at the instant', async () => {
    const { timer, now, pass } = open();
    let woken = 0;
    wakeAt(timer, now() + 10, () => (woken += 1), broken);
    await pass(9);
    expect(woken).toBe(0);
    await pass(1);
    expect(woken).toBe(1);
    await pass(100);
    expect(woken).toBe(1);
  });

  test('does not wake after a cancel, and tolerates a second cancel', async () => {
    const { timer, now, pass } = open();
    const wait = wakeAt(timer, now() + 10, () => expect.unreachable(), broken);
    wait.cancel();
    wait.cancel();
    await pass(100);
  });

  test('wakes soon for a past instant, but never before the wait was returned and can be cancelled', async () => {
    const { timer, now, pass } = open();
    let woken = 0;
    wakeAt(timer, now() - 1, () => (woken += 1), broken);
    wakeAt(timer, now(), () => expect.unreachable(), broken).cancel();
    expect(woken).toBe(0);
    await pass(1);
    expect(woken).toBe(1);
  });

  test("does not wake at once for an instant beyond the platform's longest timeout", async () => {
    const { timer, now, pass } = open();
    const wait = wakeAt(timer, now() + 2 ** 40, () => expect.unreachable(), broken);
    await pass(1_000);
    wait.cancel();
  });

  test('ignores a cancel after the wake', async () => {
    const { timer, now, pass } = open();
    let woken = 0;
    const wait = wakeAt(timer, now() + 1, () => (woken += 1), broken);
    await pass(1);
    wait.cancel();
    expect(woken).toBe(1);
  });
});

/** Gives the process time to report an unhandled rejection, which would fail this test run. */
const noticed = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("handles a timer that rejects when cancelled, as the platform's does", async () => {
  const until: Timer['until'] = (_at, signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
  wakeAt({ until }, 60_000, broken, broken).cancel();
  await noticed();
});

test('reports a failing timer to the waiter, but not after a cancel', async () => {
  const down = new Error('no clock');
  const until: Timer['until'] = () => Promise.reject(down);
  const reported: unknown[] = [];
  wakeAt({ until }, 10, broken, (error) => reported.push(error));
  wakeAt({ until }, 10, broken, broken).cancel();
  await noticed();
  expect(reported).toEqual([down]);
});
