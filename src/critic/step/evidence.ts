import type { StepCase } from '../../model/critic/judged-case.ts';
import { type Evaluator, FULL, short } from '../evaluators/evaluator.ts';

/** The share of the evidence needed by the step's decisions that is known. */
export const evidence: Evaluator<StepCase> = {
  name: 'evidence',
  version: '1',
  feeds: 'utility',
  assess: ({ support }) => {
    const { needed, known } = support.evidence;
    if (needed.length === 0) return FULL;
    const missing = needed.filter((type) => !Object.hasOwn(known, type));
    return missing.length === 0 ? FULL : short(1 - missing.length / needed.length, `missing: ${missing.join(', ')}`);
  },
};
