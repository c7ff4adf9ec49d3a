import type { StepCase } from '../../model/critic/judged-case.ts';
import { type Evaluator, FULL, short } from '../evaluators/evaluator.ts';

/** Checks that the tool answered and that the answer fits its schema. */
export const schema: Evaluator<StepCase> = {
  name: 'schema',
  version: '1',
  feeds: 'utility',
  assess: ({ outcome, problems }) => {
    if (outcome !== 'ok') return short(0, `the tool answered with ${outcome}`);
    const first = problems[0];
    return first === undefined
      ? FULL
      : short(0, `problems: ${problems.length}; first at ${first.path}: ${first.message}`);
  },
};
