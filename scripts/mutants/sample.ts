import { createHash } from 'node:crypto';
import type { Mutant } from './mutant.ts';

/** A choice of `count` mutants that depends only on the seed and their ids. */
export function sample(mutants: readonly Mutant[], count: number, seed: string): readonly Mutant[] {
  const rank = ({ id }: Mutant): string => createHash('sha256').update(`${seed}\n${id}`).digest('hex');
  return mutants
    .map((mutant) => ({ mutant, rank: rank(mutant) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}
