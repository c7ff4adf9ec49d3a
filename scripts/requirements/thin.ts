import type { Citation } from './report.ts';

/** A requirement whose citing tests are all unit tests: they lie in src/, and none of them starts a run. */
export interface ThinProof {
  readonly id: string;
  /** The files of the citing tests. */
  readonly files: readonly string[];
}

/** The requirements whose citations all lie in `src/`, sorted by id. */
export function thinProofs(citations: readonly Citation[]): readonly ThinProof[] {
  const files = new Map<string, Set<string>>();
  for (const { ids, test } of citations)
    for (const id of ids) files.set(id, (files.get(id) ?? new Set()).add(test.split(' > ')[0] ?? test));
  return [...files]
    .map(([id, found]) => ({ id, files: [...found].sort() }))
    .filter((proof) => proof.files.every((file) => file.startsWith('src/')))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}
