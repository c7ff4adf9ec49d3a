import type { RevocationOutcome } from '../../model/revocation.ts';

/** What a run that ends does about its credentials: on whose word, and what came of it; null until there is an answer. */
export interface Revocation {
  readonly confirmedBy: string;
  readonly outcome: RevocationOutcome | null;
}
