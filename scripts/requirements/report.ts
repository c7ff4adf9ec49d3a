/** The result of one test run, as exchanged between the reporter and the tools. */
export interface Report {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Modules that failed to load and errors outside any test: the run fails without a failed test. */
  readonly broken: readonly string[];
  readonly citations: readonly Citation[];
}

/** One test with the requirements that it proves. */
export interface Citation {
  readonly ids: readonly string[];
  readonly test: string;
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending';
  /** Number of matchers, such as `toBe`, that ran before the body of the test ended. */
  readonly matchers: number;
}

export const EMPTY_REPORT: Report = { passed: 0, failed: 0, skipped: 0, broken: [], citations: [] };

/** One report over two runs, such as the quick and the deep tier. */
export function addReports(a: Report, b: Report): Report {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    broken: [...a.broken, ...b.broken],
    citations: [...a.citations, ...b.citations],
  };
}

/** The reporter writes to the file this variable names, and does nothing without it: no report is ever stale. */
export const REPORT_VARIABLE = 'AMBIT_TEST_REPORT';

/** The file descriptor to which the reporter writes its progress; without it, there is no progress. */
export const PROGRESS_VARIABLE = 'AMBIT_TEST_PROGRESS';

/** The task metadata through which a test passes its citation to the reporter. */
declare module 'vitest' {
  interface TaskMeta {
    /** Ids of the requirements that this test proves. */
    requirements?: readonly string[];
    /** Number of matchers that ran. */
    matchers?: number;
  }
}
