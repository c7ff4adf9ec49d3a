import { medianCpuUs } from './cpu.ts';
import { makeRuns, openStore } from './runs.ts';

/** CPU time of one replay, by the length of the run. */
export interface ReplayCost {
  readonly steps: number;
  readonly us: number;
}

export const LENGTHS = [100, 1_000] as const;

/** Replays runs of each length from a file that has no others. */
export async function costByLength(folder: string): Promise<readonly ReplayCost[]> {
  const ambit = openStore(folder);
  const costs: ReplayCost[] = [];
  for (const steps of LENGTHS) {
    const run = await makeRuns(ambit, 1, steps);
    costs.push({ steps, us: await medianCpuUs(() => ambit.records.replay(run)) });
  }
  await ambit.close();
  return costs;
}
