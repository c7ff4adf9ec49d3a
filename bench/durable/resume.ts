import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { median } from '../harness/quantile.ts';
import { openAmbit, requestOf } from './agent.ts';
import { payload } from './steps.ts';

/** Time from `resume(id)` on an open store to the next tool call, by the number of earlier steps. */
export type ResumeTimes = readonly { readonly steps: number; readonly ms: number }[];

export const LENGTHS = [10, 100, 1_000] as const;

const never = (): Promise<never> => new Promise<never>(() => undefined);

const fileIn = (folder: string): string => join(folder, 'resume.db');

/** Resumes runs of each length that a process left unfinished when it died, in turn. */
export async function resumeTimes(folder: string, runsEach: number, program: string): Promise<ResumeTimes> {
  const file = fileIn(folder);
  const stopped = new Map<number, readonly string[]>();
  for (const steps of LENGTHS) {
    const { stdout } = spawnSync(process.execPath, [program, 'stop', folder, `${steps}`, `${runsEach}`], { encoding: 'utf8' });
    stopped.set(steps, JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]'));
  }
  let called: () => void = () => undefined;
  const second = openAmbit(file, () => {
    called();
    return never();
  });
  const times = new Map<number, number[]>(LENGTHS.map((steps) => [steps, []]));
  for (let run = 0; run < runsEach; run += 1) {
    for (const steps of LENGTHS) {
      const { promise, resolve } = Promise.withResolvers<void>();
      called = resolve;
      const begun = performance.now();
      void second.resume(stopped.get(steps)?.[run] ?? '');
      await promise;
      times.get(steps)?.push(performance.now() - begun);
    }
  }
  // The first few measurements of each run on cold code.
  return LENGTHS.map((steps) => ({ steps, ms: median((times.get(steps) ?? []).slice(Math.floor(runsEach / 3))) }));
}

/** Starts runs whose tool stops answering after this number of steps; returns their ids. */
export async function stopAfter(folder: string, steps: number, runs: number): Promise<readonly string[]> {
  const done = new Map<string, number>();
  const { promise, resolve } = Promise.withResolvers<void>();
  let stopped = 0;
  const first = openAmbit(fileIn(folder), (_args, { runId }) => {
    const before = done.get(runId) ?? 0;
    if (before < steps) {
      done.set(runId, before + 1);
      return payload();
    }
    stopped += 1;
    if (stopped === runs) resolve();
    return never();
  });
  // Ten steps are left, because a run is resumed before its end.
  for (let run = 0; run < runs; run += 1) void first.invoke(requestOf(`${steps}-${run}`, steps + 10, steps));
  await promise;
  return [...done.keys()];
}
