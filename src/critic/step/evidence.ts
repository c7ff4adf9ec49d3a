import { FULL, short } from '../assessment.ts';
import type { Evaluator, StepCase } from '../evaluator.ts';

/** Is there enough to decide on? The share of the evidence that the step's decisions ask for. */
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
