import type { BreakerReading } from './breakers.ts';

/** The tools that a run has given up on: how often, and when it may try each again. */
export type Tripped = Readonly<Record<string, { readonly times: number; readonly until: number }>>;

export interface TrippedRun {
  readonly runId: string;
  readonly tenantId: string;
}

/** What single runs have given up on, for whoever watches. The runs themselves know it from their journal. */
export interface RunBreakers {
  note(run: TrippedRun, tripped: Tripped): void;
  readings(now: number): readonly BreakerReading[];
}

/** Whoever gave up longest ago is no longer shown. */
const RUNS_MAX = 1_000;

export function createRunBreakers(): RunBreakers {
  const runs = new Map<string, { readonly run: TrippedRun; readonly tripped: Tripped }>();
  return {
    note: (run, tripped) => {
      runs.delete(run.runId);
      if (Object.keys(tripped).length === 0) return;
      runs.set(run.runId, { run, tripped });
      if (runs.size > RUNS_MAX) runs.delete(runs.keys().next().value ?? '');
    },
    readings: (now) =>
      [...runs.values()].flatMap(({ run, tripped }) =>
        Object.entries(tripped).map(([tool, { times, until }]) => ({
          tool,
          tenantId: run.tenantId,
          runId: run.runId,
          state: now < until ? ('open' as const) : ('half_open' as const),
          failuresInARow: times,
          retryAt: until,
        })),
      ),
  };
}
