/** A random number generator that repeats its sequence for the same seed. */
export interface Dice {
  /** An integer from 0 to `sides - 1`. */
  roll(sides: number): number;
  chance(share: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/** The seed of this process. To repeat a failure: `FUZZ_SEED=7 npx vitest run test/adversarial`. */
export const SEED: number = Number(process.env['FUZZ_SEED'] ?? 20_261_115);

/** Mulberry32: 32 bits of state, fast, and random enough for fuzzing. */
export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const roll = (sides: number): number => Math.floor(next() * sides);
  return {
    roll,
    chance: (share) => next() < share,
    pick: (from) => {
      const picked = from[roll(from.length)];
      if (picked === undefined && from.length === 0) throw new Error('there is nothing to pick from');
      return picked as (typeof from)[number];
    },
  };
}

/** An error that names the seed to repeat the failure with. */
export function failureWithSeed(what: string, seed: number, error: unknown): Error {
  return new Error(`${what}, with FUZZ_SEED=${seed}: ${error instanceof Error ? error.stack : describe(error)}`);
}

function describe(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'something that cannot be shown';
  }
}
