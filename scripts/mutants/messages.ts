/** The order to a test process: run the tests of one file that cite one of the ids. */
export interface TestOrder {
  readonly test: string;
  readonly ids: readonly string[];
  /** Source files that have changed since the last order. */
  readonly changed: readonly string[];
}

/** The result of an order. */
export interface TestResult {
  /** The state of each test that ran, with the ids it cites. */
  readonly tests: readonly { readonly ids: readonly string[]; readonly state: 'passed' | 'failed' }[];
  /** Errors outside of tests, such as a file that does not load. */
  readonly errors: readonly string[];
}

export const READY = 'ready';
