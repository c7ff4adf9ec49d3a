import type { Hash } from '../../model/hash.ts';
import type { RetryPolicy } from '../../ports/language-model.ts';

export const RETRY_POLICY: RetryPolicy = Object.freeze({ attempts: 4, baseMs: 500, jitter: 0.1, waitMsMax: 30_000 });

/** The wait before the next request, or what the provider asked for where that is longer. */
export function waitMs(policy: RetryPolicy, made: number, askedForMs: number, chance: number): number {
  const backoff = policy.baseMs * 2 ** (made - 1);
  return Math.max(Math.round(backoff * (1 + policy.jitter * chance)), askedForMs);
}

/** Between 0 and 1, the same for the same request of the same question: a journal must not depend on dice. */
export const chanceOf = (hash: Hash, prompt: string, made: number): number =>
  Number.parseInt(hash(`${prompt}\n${made}`).slice(0, 8), 16) / 2 ** 32;
