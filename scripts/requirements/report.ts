/** What one run of the test suite says, as the reporter writes it and the tools read it. */
export interface Report {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Modules that could not be loaded and errors outside any test: the run is red without a failed test. */
  readonly broken: readonly string[];
  readonly citations: readonly Citation[];
}

/** One test that says which requirements it proves. */
export interface Citation {
  readonly ids: readonly string[];
  readonly test: string;
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending';
  readonly assertions: number;
}

/** The reporter writes to the file this variable names, and does nothing without it: no report is ever stale. */
export const REPORT_VARIABLE = 'AMBIT_TEST_REPORT';

/** The number of an open file that the reporter tells its progress to; without it, it tells none. */
export const PROGRESS_VARIABLE = 'AMBIT_TEST_PROGRESS';

/** How a test hands its citation to the reporter. */
declare module 'vitest' {
  interface TaskMeta {
    /** Ids of the requirements this test proves. */
    requirements?: readonly string[];
    /** How many assertions the test made. */
    assertions?: number;
  }
}
