/** Reproducible random choices: the same seed gives the same choices on every machine. */
export interface Prng {
  /** At least 0 and less than 1. */
  next(): number;
  /** An integer from `min` to `max`, both included. */
  int(min: number, max: number): number;
  chance(probability: number): boolean;
  /** An item of a list that is not empty. */
  pick<T>(items: readonly [T, ...T[]]): T;
  /** An item of a list; undefined if the list is empty. */
  any<T>(items: readonly T[]): T | undefined;
  /** The items of a list, each included with this probability. */
  some<T>(items: readonly T[], probability: number): readonly T[];
}

const ROUNDS_BEFORE_USE = 16;

/** The sfc32 generator: small, fast, and neighbouring seeds give unrelated sequences. */
export function prng(seed: number): Prng {
  let a = seed | 0;
  let b = Math.floor(seed / 0x1_0000_0000) | 0;
  let c = 0x9e3779b9 | 0;
  let counter = 1;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 0x1_0000_0000;
  };
  for (let round = 0; round < ROUNDS_BEFORE_USE; round += 1) next();
  const int = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (items) => items[int(0, items.length - 1)] ?? items[0],
    any: (items) => items[int(0, items.length - 1)],
    some: (items, probability) => items.filter(() => next() < probability),
  };
}
