import type { Finding } from './finding.ts';
import type { Scores, StepVerdict } from './verdict.ts';

/** What a step came to before the Critic. */
export interface StepJudged {
  readonly step_id: string;
  readonly scores: Scores;
  /** The score card: what each evaluator of the rubric gave, by `name@version`. */
  readonly criteria: Scores;
  readonly findings: readonly Finding[];
  /** Present where an evaluator wants something done, whatever the scores say. */
  readonly verdict?: StepVerdict;
}

/** The same of a run as a whole, with the criteria of its goal that nothing shows. */
export interface RunJudged {
  readonly scores: Scores;
  readonly criteria: Scores;
  readonly unmet: readonly string[];
  readonly findings: readonly Finding[];
  readonly verdict?: StepVerdict;
}
