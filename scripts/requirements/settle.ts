import type { Citation } from './report.ts';

export interface Question {
  /** All ids of the catalogue. */
  readonly catalogue: readonly string[];
  /** Ids that an earlier run proved; they must not lose their proof. */
  readonly proven: readonly string[];
  readonly citations: readonly Citation[];
}

export interface Settlement {
  readonly total: number;
  /** Ids proven in this run, in the order of the catalogue. */
  readonly cited: readonly string[];
  readonly pending: readonly string[];
  /** Ids proven in this run and not yet in the list of proven ids. */
  readonly fresh: readonly string[];
  /** Errors that make the run fail, one sentence each. */
  readonly faults: readonly string[];
}

/**
 * Compares the citations with the catalogue. An id is proven if a test that cites it passed with at least one
 * assertion, and no test that cites it failed.
 */
export function settle({ catalogue, proven, citations }: Question): Settlement {
  const known = new Set(catalogue);
  const holds = new Set(citations.filter(counts).flatMap(({ ids }) => ids));
  const fails = new Set(citations.filter(({ state }) => state === 'failed').flatMap(({ ids }) => ids));
  const isProven = (id: string): boolean => holds.has(id) && !fails.has(id);
  const kept = new Set(proven);
  const cited = catalogue.filter(isProven);
  const unknown = citations.flatMap(({ ids, test }) =>
    ids.filter((id) => !known.has(id)).map((id) => `${test} cites "${id}", which is not in the catalogue`),
  );
  const lost = proven.flatMap((id) => {
    if (!known.has(id)) return [`"${id}" is listed as proven, but is not in the catalogue`];
    return isProven(id) ? [] : [`"${id}" was proven before and is not proven in this run`];
  });
  return {
    total: catalogue.length,
    cited,
    pending: catalogue.filter((id) => !isProven(id)),
    fresh: cited.filter((id) => !kept.has(id)),
    faults: [...unknown, ...lost],
  };
}

const counts = ({ state, assertions }: Citation): boolean => state === 'passed' && assertions > 0;

/** Adds ids to the sorted list of proven ids, which only grows. */
export function merge(proven: readonly string[], fresh: readonly string[]): readonly string[] {
  return [...new Set([...proven, ...fresh])].sort();
}
