import type { Requirement } from './catalogue.ts';
import type { Citation } from './report.ts';
import { needsRun, thinProofs } from './thin.ts';

/** The requirements with a proof, as kept in the repository. */
export interface Kept {
  /** Ids in test/requirements/proven.txt; they must not lose their proof. */
  readonly proven: readonly string[];
  /** Ids that any commit of the history added to test/requirements/proven.txt. */
  readonly everProven: readonly string[];
  /** Number of citing tests by id, from test/requirements/citing-tests.txt; a run may have more, not fewer. */
  readonly citingTests: ReadonlyMap<string, number>;
}

export interface Question extends Kept {
  readonly catalogue: readonly Requirement[];
  readonly citations: readonly Citation[];
}

export interface Settlement {
  readonly total: number;
  /** Ids proven in this run, in the order of the catalogue. */
  readonly cited: readonly string[];
  readonly pending: readonly string[];
  /** Ids proven in this run and not yet in the list of proven ids. */
  readonly fresh: readonly string[];
  /** Number of tests that prove each id in this run. */
  readonly citingTests: ReadonlyMap<string, number>;
  /** Errors that make the run fail, one sentence each. */
  readonly faults: readonly string[];
}

/**
 * Compares the citations with the catalogue and with the requirements proven before. An id is proven if a test that cites
 * it passed and ran at least one matcher, and no test that cites it failed.
 */
export function settle(question: Question): Settlement {
  const { proven, citations } = question;
  const catalogue = question.catalogue.map(({ id }) => id);
  const fails = new Set(citations.filter(({ state }) => state === 'failed').flatMap(({ ids }) => ids));
  const citingTests = countTests(citations);
  const isProven = (id: string): boolean => citingTests.has(id) && !fails.has(id);
  const kept = new Set(proven);
  const cited = catalogue.filter(isProven);
  return {
    total: catalogue.length,
    cited,
    pending: catalogue.filter((id) => !isProven(id)),
    fresh: cited.filter((id) => !kept.has(id)),
    citingTests,
    faults: [
      ...citationFaults(question),
      ...thinFaults(question, isProven),
      ...lostProofs(question, { isProven, citingTests }),
    ],
  };
}

function countTests(citations: readonly Citation[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { ids, state, matchers } of citations)
    if (state === 'passed' && matchers > 0) for (const id of new Set(ids)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

function citationFaults({ catalogue, citations }: Question): readonly string[] {
  const known = new Set(catalogue.map(({ id }) => id));
  return citations.flatMap(({ ids, test, state }) => [
    ...ids.filter((id) => !known.has(id)).map((id) => `${test} cites "${id}", which is not in the catalogue`),
    ...(state === 'skipped' ? [`${test} was skipped; a test that cites a requirement must run`] : []),
    ...(state === 'pending' ? [`${test} did not end; a test that cites a requirement must run`] : []),
  ]);
}

/** A fact that runs record, report, dispatch or refuse needs a test that reads it from a run. */
function thinFaults({ catalogue, citations }: Question, isProven: (id: string) => boolean): readonly string[] {
  const shownByRuns = new Set(catalogue.filter(needsRun).map(({ id }) => id));
  return thinProofs(citations)
    .filter(({ id }) => shownByRuns.has(id) && isProven(id))
    .map(({ id }) => `"${id}" is cited only by unit tests in src/; cite it in a test that reads the fact from a run`);
}

function lostProofs(
  { catalogue, proven, everProven, citingTests: before }: Question,
  { isProven, citingTests }: { isProven: (id: string) => boolean; citingTests: ReadonlyMap<string, number> },
): readonly string[] {
  const known = new Set(catalogue.map(({ id }) => id));
  const kept = new Set(proven);
  const lost = proven.flatMap((id) => {
    if (!known.has(id)) return [`"${id}" is listed as proven, but is not in the catalogue`];
    return isProven(id) ? [] : [`"${id}" was proven before and is not proven in this run`];
  });
  const removed = everProven
    .filter((id) => known.has(id) && !kept.has(id))
    .map((id) => `"${id}" was removed from test/requirements/proven.txt; restore its line`);
  const fewer = [...before].flatMap(([id, least]) => {
    const now = citingTests.get(id) ?? 0;
    if (now >= least || !isProven(id)) return [];
    return [
      `"${id}" had ${least} citing tests and has ${now}; restore the test, or lower the number in test/requirements/citing-tests.txt`,
    ];
  });
  return [...lost, ...removed, ...fewer];
}
