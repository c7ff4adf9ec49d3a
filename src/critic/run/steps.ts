import type { RunCase } from '../../model/critic/judged-case.ts';
import { type Evaluator, FULL } from '../evaluators/evaluator.ts';

/** The average utility of the steps. A step without a score counts as 0. */
export const steps: Evaluator<RunCase> = {
  name: 'steps',
  version: '1',
  feeds: 'utility',
  assess: (c) => {
    if (c.steps.length === 0) return FULL;
    let sum = 0;
    for (const { scores } of c.steps) sum += Object.hasOwn(scores, 'utility') ? (scores['utility'] ?? 0) : 0;
    return { score: sum / c.steps.length };
  },
};
