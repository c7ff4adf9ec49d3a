import { FULL, found } from '../assessment.ts';
import { detectConflict } from '../conflict.ts';
import type { Evaluator, StepCase } from '../evaluator.ts';

/** Does the step agree with what was seen before? The step itself did well either way; the contradiction is the news. */
export const sources: Evaluator<StepCase> = {
  name: 'sources',
  version: '1',
  feeds: 'utility',
  assess: ({ support }) => {
    if (support.facts.length < 2) return FULL;
    const findings = detectConflict(support.facts);
    return findings.length === 0 ? FULL : found(1, findings);
  },
};
