import type { Finding, StepVerdict } from '../../model/critic/verdict.ts';

/** An evaluator's answer: a score between 0 and 1, findings, and optionally a verdict. */
export interface Assessment {
  readonly score: number;
  readonly findings?: readonly Finding[];
  /** The mildest verdict that the evaluator accepts. It can make the final verdict stricter, never milder. */
  readonly verdict?: StepVerdict;
  readonly note?: string;
}

/**
 * A pure, versioned rule: the same case always gets the same answer. A changed rule gets a new version, and the old
 * version stays for the runs that it has judged.
 */
export interface Evaluator<C> {
  readonly name: string;
  readonly version: string;
  /** The score that the evaluator contributes to; by default its own name. Contributions are multiplied. */
  readonly feeds?: string;
  assess(c: C): Assessment;
}
