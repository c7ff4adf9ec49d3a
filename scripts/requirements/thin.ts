import type { Requirement } from './catalogue.ts';
import type { Citation } from './report.ts';

/** A requirement whose citing tests are all unit tests: they lie in src/, and none of them starts a run. */
export interface ThinProof {
  readonly id: string;
  /** The files of the citing tests. */
  readonly files: readonly string[];
}

/** Words for facts that the journal, the trace or the outcome of a run shows. */
const SHOWN_BY_RUNS = /\b(record|trac|report|dispatch|refus|reject)(e?s|ed|ing)?\b/i;

/** Whether the requirement names a fact that a test must read from a run. */
export const needsRun = ({ behavior, check }: Requirement): boolean => SHOWN_BY_RUNS.test(`${behavior} ${check}`);

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
