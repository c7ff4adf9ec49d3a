/** So many calls in so long a time. */
export interface Rate {
  readonly calls: number;
  readonly per_ms: number;
}

/** Who may call how often. Whoever is told an instant has that place, whether or not it is used. */
export interface Rates {
  /** The earliest instant at which one more call of this name keeps the rate; `now` where it does already. */
  take(name: string, rate: Rate, now: number): number;
}

/**
 * A leaky bucket per name, kept as one number: the instant at which it would be empty. A burst of `calls` passes at
 * once; after it one place comes free every `per_ms / calls`.
 */
export function createRates(): Rates {
  const emptyAt = new Map<string, number>();
  return {
    take: (name, { calls, per_ms }, now) => {
      const spacing = per_ms / calls;
      const until = Math.max(emptyAt.get(name) ?? now, now);
      const at = Math.max(now, Math.ceil(until - (per_ms - spacing)));
      emptyAt.set(name, until + spacing);
      return at;
    },
  };
}
