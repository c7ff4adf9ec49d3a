/**
 * How many calls each run has sent through this process, counted here and from nothing that a run says of itself: a
 * second bound for the case that the first one is broken.
 */
export interface CallCounts {
  /** Whether one more call of this run stays within its cap; a call that is sent again counts once. */
  take(runId: string, callId: string, most: number): boolean;
}

/** Runs that are counted at once. Whoever called longest ago is forgotten first. */
const RUNS_MAX = 10_000;

export function createCallCounts(): CallCounts {
  const runs = new Map<string, { readonly count: number; readonly last: string }>();
  return {
    take: (runId, callId, most) => {
      const known = runs.get(runId);
      if (known?.last === callId) return true;
      const count = (known?.count ?? 0) + 1;
      if (count > most) return false;
      runs.delete(runId);
      runs.set(runId, { count, last: callId });
      if (runs.size > RUNS_MAX) runs.delete(runs.keys().next().value ?? '');
      return true;
    },
  };
}
