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

describe.each(BENCHES)('%s', (_name, open) => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('wakes at the instant, once', async () => {
    const { timer, now, pass } = open();
    let woken = 0;
    wakeAt(timer, now() + 10, () => (woken += 1));
    await pass(9);
    expect(woken).toBe(0);
    await pass(1);
    expect(woken).toBe(1);
    await pass(100);
    expect(woken).toBe(1);
  });

  test('wakes nobody who has cancelled, however often', async () => {
    const { timer, now, pass } = open();
    const wait = wakeAt(timer, now() + 10, () => expect.unreachable());
    wait.cancel();
    wait.cancel();
    await pass(100);
  });

  test('an instant that has passed wakes soon, but never before it was said what can be cancelled', async () => {
    const { timer, now, pass } = open();
    let woken = 0;
    wakeAt(timer, now() - 1, () => (woken += 1));
    wakeAt(timer, now(), () => expect.unreachable()).cancel();
    expect(woken).toBe(0);
    await pass(1);
    expect(woken).toBe(1);
  });

  test('to cancel what is over does nothing', async () => {
    const { timer, now, pass } = open();
    let woken = 0;
    const wait = wakeAt(timer, now() + 1, () => (woken += 1));
    await pass(1);
    wait.cancel();
    expect(woken).toBe(1);
  });
});
