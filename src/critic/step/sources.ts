import type { StepCase } from '../../model/critic/judged-case.ts';
import { detectConflict } from '../conflict.ts';
import { type Evaluator, FULL, found } from '../evaluators/evaluator.ts';

/** Reports contradictions between the step's facts and earlier ones. The step keeps its full score. */
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
