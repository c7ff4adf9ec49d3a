import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { median } from '../harness/quantile.ts';
import { openAmbit, requestOf } from './agent.ts';
import { payload } from './steps.ts';

/** The call that a dead process left unanswered: a read is repeated, a change is sent again with its key. */
export const PENDING = ['read', 'change'] as const;
export type Pending = (typeof PENDING)[number];

/** Time from `resume(id)` on an open store to the next tool call, by the number of earlier steps. */
export type ResumeTimes = readonly { readonly pending: Pending; readonly steps: number; readonly ms: number }[];

export const LENGTHS = [10, 100, 1_000] as const;

const never = (): Promise<never> => new Promise<never>(() => undefined);

const fileIn = (folder: string): string => join(folder, 'resume.db');

/** Longer than a dispatched change is waited for, which would be most of the time otherwise. */
const AHEAD_MS = 3_600_000;

/** Resumes runs of each length and pending call that a process left unfinished when it died, in turn. */
export async function resumeTimes(folder: string, runsEach: number, program: string): Promise<ResumeTimes> {
  const file = fileIn(folder);
  const cases = PENDING.flatMap((pending) => LENGTHS.map((steps) => ({ pending, steps })));
  const stopped = cases.map(({ pending, steps }) => {
    const args = [program, 'stop', folder, pending, `${steps}`, `${runsEach}`];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return { pending, steps, runs: JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]') as string[], times: [] as number[] };
  });
  let called: () => void = () => undefined;
  const tool = (): Promise<never> => {
    called();
    return never();
  };
  const second = openAmbit(file, tool, { aheadMs: AHEAD_MS });
  for (let run = 0; run < runsEach; run += 1) {
    for (const { runs, times } of stopped) {
      const { promise, resolve } = Promise.withResolvers<void>();
      called = resolve;
      const begun = performance.now();
      void second.resume(runs[run] ?? '');
      await promise;
      times.push(performance.now() - begun);
    }
  }
  // The first few measurements of each run on cold code.
  return stopped.map(({ pending, steps, times }) => ({ pending, steps, ms: median(times.slice(Math.floor(runsEach / 3))) }));
}

/** Starts runs whose tool stops answering after this number of steps; returns their ids. */
export async function stopAfter(
  folder: string,
  pending: Pending,
  steps: number,
  runs: number,
): Promise<readonly string[]> {
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
  const readAt = pending === 'read' ? steps : -1;
  for (let run = 0; run < runs; run += 1)
    void first.invoke(requestOf(`${pending}-${steps}-${run}`, steps + 10, readAt));
  await promise;
  return [...done.keys()];
}
