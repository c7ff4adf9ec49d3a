/** The state of a breaker: all calls pass, none, or a single trial call. */
export type BreakerState = 'closed' | 'open' | 'half_open';

export interface BreakerLimits {
  /** Consecutive failures that open the breaker. */
  readonly failuresMax: number;
  /** How long the breaker stays open before it permits a trial call. */
  readonly openMs: number;
}

export interface BreakerReading {
  readonly tool: string;
  readonly tenantId: string;
  /** Present if a single run has given up on the tool. */
  readonly runId?: string;
  readonly state: BreakerState;
  readonly failuresInARow: number;
  /** When the next trial is permitted; 0 while closed. */
  readonly retryAt: number;
}

/** One breaker per tool and tenant, so that one tenant's broken credentials do not stop the calls of others. */
export interface Breakers {
  /** Returns null if a call may be sent, otherwise the instant of the next trial. Does not take the trial. */
  refusedUntil(tool: string, tenantId: string, now: number): number | null;
  /** Records that a call is sent now. If the breaker is half open, this is its trial. */
  enter(tool: string, tenantId: string, now: number): void;
  note(tool: string, tenantId: string, worked: boolean, now: number): void;
  readings(now: number): readonly BreakerReading[];
}

interface Breaker {
  readonly tool: string;
  readonly tenantId: string;
  readonly failures: number;
  readonly openedAt: number | null;
  /**
   * When the trial call of a half-open breaker was sent. It expires after `openMs`, in case the trial never returns.
   */
  tryingSince: number | null;
}

/** More failures than the retries of one run cause, so that a breaker opens only for a general outage. */
export const BREAKER_LIMITS: BreakerLimits = Object.freeze({ failuresMax: 10, openMs: 30_000 });

export type BreakerChanged = (tool: string, tenantId: string, state: BreakerState) => void;

export function createBreakers(limits: BreakerLimits, changed: BreakerChanged = () => undefined): Breakers {
  /** Holds only tools with failures. While it is empty, calls skip the lookup. */
  const breakers = new Map<string, Breaker>();
  const retryAt = ({ openedAt, tryingSince }: Breaker): number => (tryingSince ?? openedAt ?? 0) + limits.openMs;

  return {
    refusedUntil: (tool, tenantId, now) => {
      if (breakers.size === 0) return null;
      const breaker = breakers.get(nameOf(tool, tenantId));
      if (breaker === undefined || breaker.openedAt === null) return null;
      return now < retryAt(breaker) ? retryAt(breaker) : null;
    },
    enter: (tool, tenantId, now) => {
      if (breakers.size === 0) return;
      const breaker = breakers.get(nameOf(tool, tenantId));
      if (breaker === undefined || breaker.openedAt === null) return;
      breaker.tryingSince = now;
      changed(tool, tenantId, 'half_open');
    },
    note: (tool, tenantId, worked, now) => {
      if (worked && breakers.size === 0) return;
      const name = nameOf(tool, tenantId);
      const breaker = breakers.get(name);
      const before = breaker === undefined ? 'closed' : stateOf(breaker, now, retryAt(breaker));
      if (worked) {
        breakers.delete(name);
        if (before !== 'closed') changed(tool, tenantId, 'closed');
        return;
      }
      const failures = (breaker?.failures ?? 0) + 1;
      const openedAt = failures >= limits.failuresMax ? now : null;
      breakers.set(name, { tool, tenantId, failures, openedAt, tryingSince: null });
      if (openedAt !== null && before !== 'open') changed(tool, tenantId, 'open');
    },
    readings: (now) =>
      [...breakers.values()].map((breaker) => ({
        tool: breaker.tool,
        tenantId: breaker.tenantId,
        state: stateOf(breaker, now, retryAt(breaker)),
        failuresInARow: breaker.failures,
        retryAt: breaker.openedAt === null ? 0 : retryAt(breaker),
      })),
  };
}

const nameOf = (tool: string, tenantId: string): string => `${tenantId}\n${tool}`;

function stateOf({ openedAt, tryingSince }: Breaker, now: number, retryAt: number): BreakerState {
  if (openedAt === null) return 'closed';
  return tryingSince !== null || now >= retryAt ? 'half_open' : 'open';
}

/** The tools that a run has given up on: how often, and when it may call each again. */
export type TrippedBreakers = Readonly<Record<string, { readonly times: number; readonly until: number }>>;

export interface TrippedRun {
  readonly runId: string;
  readonly tenantId: string;
}

/** The tools that single runs have given up on, for monitoring. The runs themselves read this from their journal. */
interface RunBreakers {
  note(run: TrippedRun, tripped: TrippedBreakers): void;
  readings(now: number): readonly BreakerReading[];
}

/** The number of runs that are kept; the oldest entry is dropped first. */
const RUNS_MAX = 1_000;

export function createRunBreakers(): RunBreakers {
  const runs = new Map<string, { readonly run: TrippedRun; readonly tripped: TrippedBreakers }>();
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
