/** At most `calls` calls in `per_ms` milliseconds. */
export interface Rate {
  readonly calls: number;
  readonly per_ms: number;
}

/** Rate limits by name. `take` reserves an instant, whether or not the call is sent then. */
export interface Rates {
  /** The earliest instant at which one more call keeps the rate; `now` if it does already. */
  next(name: string, rate: Rate, now: number): number;
  /** Returns the same instant and reserves it. */
  take(name: string, rate: Rate, now: number): number;
}

/**
 * A leaky bucket per name, stored as one number: the instant at which it is empty. A burst of `calls` passes at once;
 * then one call passes every `per_ms / calls`.
 */
export function createRates(): Rates {
  const emptyAt = new Map<string, number>();
  const untilOf = (name: string, now: number): number => Math.max(emptyAt.get(name) ?? now, now);
  const next: Rates['next'] = (name, { calls, per_ms }, now) =>
    Math.max(now, Math.ceil(untilOf(name, now) - (per_ms - per_ms / calls)));
  return {
    next,
    take: (name, rate, now) => {
      const at = next(name, rate, now);
      emptyAt.set(name, untilOf(name, now) + rate.per_ms / rate.calls);
      return at;
    },
  };
}
