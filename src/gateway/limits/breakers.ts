/** Whether calls of one tool go out for one tenant: all, none, or a single one to see whether it works again. */
export type BreakerState = 'closed' | 'open' | 'half_open';

export interface BreakerLimits {
  /** Failures in a row after which nothing more is sent. */
  readonly failuresMax: number;
  /** How long nothing is sent; then one call may try. */
  readonly openMs: number;
}

export interface BreakerReading {
  readonly tool: string;
  readonly tenantId: string;
  /** Present where a single run has given up on the tool, and nobody else has. */
  readonly runId?: string;
  readonly state: BreakerState;
  readonly failuresInARow: number;
  /** When the next call may try; 0 while closed. */
  readonly retryAt: number;
}

/** One breaker per tool and tenant: one tenant's broken credentials do not stop everybody else's calls. */
export interface Breakers {
  /** Null where a call may go out; the instant of the next try where it may not. Whoever asks takes nothing. */
  refusedUntil(tool: string, tenantId: string, now: number): number | null;
  /** A call that may go out is sent now: where the breaker is half open, it is the one that tries. */
  enter(tool: string, tenantId: string, now: number): void;
  note(tool: string, tenantId: string, worked: boolean, now: number): void;
  readings(now: number): readonly BreakerReading[];
}

interface Breaker {
  readonly tool: string;
  readonly tenantId: string;
  readonly failures: number;
  readonly openedAt: number | null;
  /** The one call of a half-open breaker is on its way; it counts for as long as an open spell lasts. */
  tryingSince: number | null;
}

/** More than the retries of one run bring about: a breaker opens for what fails everybody. */
export const BREAKER_LIMITS: BreakerLimits = Object.freeze({ failuresMax: 10, openMs: 30_000 });

/** Told whenever a breaker comes to be in another state. */
export type BreakerChanged = (tool: string, tenantId: string, state: BreakerState) => void;

export function createBreakers(limits: BreakerLimits, changed: BreakerChanged = () => undefined): Breakers {
  /** Only of what has failed: where everything works there are none, and nobody's name is looked up. */
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
