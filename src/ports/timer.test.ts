/** Whoever is to be woken is woken once, or not at all: by every timer there is. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemTimer } from '../adapters/node/system-timer.ts';
import { simulatedClock } from '../testing/simulated-clock.ts';
import { type Timer, wakeAt } from './timer.ts';

interface Bench {
  readonly timer: Timer;
  readonly now: () => number;
  readonly pass: (ms: number) => Promise<void>;
}

const simulated = (): Bench => {
  const clock = simulatedClock(1_000);
  const pass = async (ms: number): Promise<void> => {
    clock.advanceTo(clock.nowMs() + ms);
    for (let ticks = 0; ticks < 5; ticks += 1) await Promise.resolve();
  };
  return { timer: clock, now: clock.nowMs, pass };
};

const BENCHES: readonly [string, () => Bench][] = [
  ['the timer of the machine', () => ({ timer: systemTimer, now: Date.now, pass: (ms) => pass(ms) })],
  ['a simulated clock', simulated],
  [
    'a timer that knows `until` alone',
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

describe.each(BENCHES)('%s', (_name, open) => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('wakes at the instant, once', async () => {
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

  test('wakes nobody who has cancelled, however often', async () => {
    const { timer, now, pass } = open();
    const wait = wakeAt(timer, now() + 10, () => expect.unreachable(), broken);
    wait.cancel();
    wait.cancel();
    await pass(100);
  });

  test('an instant that has passed wakes soon, but never before it was said what can be cancelled', async () => {
    const { timer, now, pass } = open();
    let woken = 0;
    wakeAt(timer, now() - 1, () => (woken += 1), broken);
    wakeAt(timer, now(), () => expect.unreachable(), broken).cancel();
    expect(woken).toBe(0);
    await pass(1);
    expect(woken).toBe(1);
  });

  test('an instant further off than the platform can wait for does not wake at once', async () => {
    const { timer, now, pass } = open();
    const wait = wakeAt(timer, now() + 2 ** 40, () => expect.unreachable(), broken);
    await pass(1_000);
    wait.cancel();
  });

  test('to cancel what is over does nothing', async () => {
    const { timer, now, pass } = open();
    let woken = 0;
    const wait = wakeAt(timer, now() + 1, () => (woken += 1), broken);
    await pass(1);
    wait.cancel();
    expect(woken).toBe(1);
  });
});

/** Whatever broke without anybody listening has been noticed by then, and ends this test run. */
const noticed = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a timer whose promise breaks when it is cancelled, as that of the platform does, breaks nothing else', async () => {
  const until: Timer['until'] = (_at, signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
  wakeAt({ until }, 60_000, broken, broken).cancel();
  await noticed();
});

test('a timer that breaks tells whoever waits for it, and nobody who has cancelled', async () => {
  const down = new Error('no clock');
  const until: Timer['until'] = () => Promise.reject(down);
  const told: unknown[] = [];
  wakeAt({ until }, 10, broken, (error) => told.push(error));
  wakeAt({ until }, 10, broken, broken).cancel();
  await noticed();
  expect(told).toEqual([down]);
});
