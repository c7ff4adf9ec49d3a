import type { MemoryEntry } from '../../model/memory.ts';

/** What a run that has ended promoted, as its trace says. It says the same for ever, so it is read once. */
export interface EndedRun {
  readonly tenant: string | null;
  readonly promoted: ReadonlyMap<string, MemoryEntry>;
}

export interface EndedRuns {
  get(runId: string): EndedRun | undefined;
  keep(runId: string, run: EndedRun): void;
}

/** A tenant remembers a few hundred runs at a time; beyond that the longest known are read again. */
const RUNS_MAX = 500;

export function endedRuns(): EndedRuns {
  const known = new Map<string, EndedRun>();
  return {
    get: (runId) => known.get(runId),
    keep: (runId, run) => {
      known.set(runId, run);
      const [oldest] = known.keys();
      if (known.size > RUNS_MAX && oldest !== undefined) known.delete(oldest);
    },
  };
}
