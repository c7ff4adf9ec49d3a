import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openAmbit, requestOf } from './agent.ts';
import { payload } from './steps.ts';

export interface Growth {
  /** Bytes of a run apart from its steps. */
  readonly bytesPerRun: number;
  readonly bytesPerStep10: number;
  readonly bytesPerStep1000: number;
}

/** Bytes per run in a file with runs of one length, without the size of an empty file. */
async function bytesOfRun(folder: string, runs: number, steps: number): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const sizeWith = async (count: number): Promise<number> => {
    const file = join(folder, `${steps}-${count}.db`);
    const ambit = openAmbit(file, payload);
    await Promise.all(Array.from({ length: count }, (_, run) => ambit.invoke(requestOf(`${run}`, steps))));
    // The last connection to close the file copies the log into it.
    await ambit.close();
    return statSync(file).size;
  };
  return ((await sizeWith(runs)) - (await sizeWith(0))) / runs;
}

/** Number of runs with few steps, and of runs with 1,000 steps. */
export interface RunCounts {
  readonly short: number;
  readonly long: number;
}

const RUN_COUNTS: RunCounts = { short: 64, long: 4 };

/** Bytes per additional step; the beginning and the end of a run are subtracted. */
export async function growth(folder: string, { short, long }: RunCounts = RUN_COUNTS): Promise<Growth> {
  const bytesPerRun = await bytesOfRun(folder, short, 1);
  const bytesPerStep = async (runs: number, steps: number): Promise<number> =>
    ((await bytesOfRun(folder, runs, steps)) - bytesPerRun) / (steps - 1);
  return { bytesPerRun, bytesPerStep10: await bytesPerStep(short, 10), bytesPerStep1000: await bytesPerStep(long, 1_000) };
}
