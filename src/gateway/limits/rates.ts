/** So many calls in so long a time. */
export interface Rate {
  readonly calls: number;
  readonly per_ms: number;
}

/** Who may call how often. Whoever is told an instant has that place, whether or not it is used. */
export interface Rates {
  /** The earliest instant at which one more call of this name keeps the rate; `now` where it does already. */
  next(name: string, rate: Rate, now: number): number;
  /** The same, and from then on that place is taken. */
  take(name: string, rate: Rate, now: number): number;
}

/**
 * A leaky bucket per name, kept as one number: the instant at which it would be empty. A burst of `calls` passes at
 * once; after it one place comes free every `per_ms / calls`.
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
