import { quantile } from '../harness/quantile.ts';

export interface Speed {
  readonly stepsPerS: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUsPerStep: number;
}

/** The interface through which the measured program takes its steps. It waits between two measurements. */
export interface StepTrack {
  /** Null if the next step may be taken at once. */
  wait(): Promise<void> | null;
  /** Records a step and its duration. */
  step(ms: number): void;
  isOver(): boolean;
}

/** Controls the measurements, one at a time. */
export interface Measurer {
  /** Counts steps instead of time, so that a busy machine warms up too. */
  warmUp(steps: number): Promise<void>;
  measure(ms: number): Promise<Speed>;
  /** Ends the measurements, so that waiting work completes. */
  end(): void;
}

interface Measurement {
  readonly at: number;
  readonly cpu: NodeJS.CpuUsage;
  readonly times: number[];
  isDone(measurement: Measurement): boolean;
  readonly done: (measurement: Measurement) => void;
}

export function stepTrack(): StepTrack & Measurer {
  let measurement: Measurement | null = null;
  let isOver = false;
  let gate = Promise.withResolvers<void>();
  const run = (isDone: Measurement['isDone']): Promise<Measurement> => {
    const { promise, resolve: done } = Promise.withResolvers<Measurement>();
    measurement = { at: performance.now(), cpu: process.cpuUsage(), times: [], isDone, done };
    gate.resolve();
    return promise;
  };
  const stop = (finished: Measurement): void => {
    measurement = null;
    gate = Promise.withResolvers<void>();
    finished.done(finished);
  };
  return {
    wait: () => (measurement !== null || isOver ? null : gate.promise),
    step: (ms) => {
      if (measurement === null) return;
      measurement.times.push(ms);
      if (measurement.isDone(measurement)) stop(measurement);
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

/** The speed of a measurement that ends now. */
function speedOf({ at, cpu, times }: Measurement): Speed {
  const { user, system } = process.cpuUsage(cpu);
  return {
    stepsPerS: (times.length / (performance.now() - at)) * 1_000,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    cpuUsPerStep: (user + system) / times.length,
  };
}
