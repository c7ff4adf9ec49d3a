import { FULL, short } from '../assessment.ts';
import { unmet } from '../criteria.ts';
import type { Evaluator, RunCase } from '../evaluator.ts';

/**
 * The share of the goal's primary acceptance criteria that evidence shows to be met. Secondary ones make the
 * difference between a success and a partial one; they do not make the run worth less than its steps.
 */
export const goal: Evaluator<RunCase> = {
  name: 'goal',
  version: '1',
  feeds: 'utility',
  assess: ({ criteria, evidence }) => {
    const primary = criteria.filter(({ rank }) => rank === 'primary');
    if (primary.length === 0) return short(0, 'the goal has no primary criterion, so nothing can show that it is met');
    const open = unmet(primary, evidence);
    return open.length === 0 ? FULL : short(1 - open.length / primary.length, `not met: ${open.join(', ')}`);
  },
};
