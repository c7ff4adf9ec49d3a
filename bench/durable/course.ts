import { quantile } from '../harness/quantile.ts';

export interface Speed {
  readonly stepsPerS: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUsPerStep: number;
}

/** What is measured takes its steps here. Between two measurements it stands still, so that others have the machine. */
export interface Course {
  /** Null where the next step may be taken at once. */
  wait(): Promise<void> | null;
  /** A step was taken, and took so long. */
  step(ms: number): void;
  isOver(): boolean;
}

/** Whoever measures. One thing at a time is asked for. */
export interface Referee {
  /** By steps, so that a busy machine warms up as well. */
  warmUp(steps: number): Promise<void>;
  measure(ms: number): Promise<Speed>;
  /** Nothing is measured any more, and whoever waits goes on to its end. */
  end(): void;
}

interface Heat {
  readonly at: number;
  readonly cpu: NodeJS.CpuUsage;
  readonly times: number[];
  isDone(heat: Heat): boolean;
  readonly done: (heat: Heat) => void;
}

export function course(): Course & Referee {
  let heat: Heat | null = null;
  let isOver = false;
  let gate = Promise.withResolvers<void>();
  const run = (isDone: Heat['isDone']): Promise<Heat> => {
    const { promise, resolve: done } = Promise.withResolvers<Heat>();
    heat = { at: performance.now(), cpu: process.cpuUsage(), times: [], isDone, done };
    gate.resolve();
    return promise;
  };
  const stop = (finished: Heat): void => {
    heat = null;
    gate = Promise.withResolvers<void>();
    finished.done(finished);
  };
  return {
    wait: () => (heat !== null || isOver ? null : gate.promise),
    step: (ms) => {
      if (heat === null) return;
      heat.times.push(ms);
      if (heat.isDone(heat)) stop(heat);
    },
    isOver: () => isOver,
    warmUp: async (steps) => void (await run(({ times }) => times.length >= steps)),
    measure: async (ms) => {
      let speed: Speed | null = null;
      await run((running) => {
        if (performance.now() - running.at < ms) return false;
        speed = speedOf(running);
        return true;
      });
      if (speed === null) throw new Error('nothing was measured');
      return speed;
    },
    end: () => {
      isOver = true;
      gate.resolve();
    },
  };
}

/** Of a heat that ends at this very moment. */
function speedOf({ at, cpu, times }: Heat): Speed {
  const { user, system } = process.cpuUsage(cpu);
  return {
    stepsPerS: (times.length / (performance.now() - at)) * 1_000,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    cpuUsPerStep: (user + system) / times.length,
  };
}
