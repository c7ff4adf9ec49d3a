import type { Rubric } from '../../model/critic/rubric.ts';
import { judges } from '../judges/panel.ts';
import { goal } from '../run/goal.ts';
import { runGrounding } from '../run/grounding.ts';
import { runSources } from '../run/sources.ts';
import { steps } from '../run/steps.ts';
import { assumptions } from '../step/assumptions.ts';
import { attention } from '../step/attention.ts';
import { cost } from '../step/cost.ts';
import { evidence } from '../step/evidence.ts';
import { expectation } from '../step/expectation.ts';
import { grounding } from '../step/grounding.ts';
import { policy } from '../step/policy.ts';
import { receipt } from '../step/receipt.ts';
import { type Detector, safety } from '../step/safety.ts';
import { schema } from '../step/schema.ts';
import { sources } from '../step/sources.ts';
import { type EvaluatorTable, evaluatorTable } from './evaluator.ts';

/** The evaluators that the shipped rubrics name. Detectors come from the caller, judges from the rubric. */
export function standardEvaluators(detectors: readonly Detector[] = [], rubric: Rubric | null = null): EvaluatorTable {
  const panel = rubric?.judges === undefined ? [] : [judges(rubric)];
  return evaluatorTable(
    [
      policy,
      safety(detectors),
      grounding,
      schema,
      expectation,
      assumptions,
      sources,
      evidence,
      receipt,
      cost,
      attention,
      ...panel,
    ],
    [runGrounding, runSources, goal, steps, ...panel],
  );
}
