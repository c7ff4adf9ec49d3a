import type { RunCase } from '../../model/critic/judged-case.ts';
import { type Evaluator, FULL, short } from '../evaluators/evaluator.ts';
import { unmet } from '../tally.ts';

/**
 * The share of the goal's primary acceptance criteria that are met by evidence. Secondary criteria decide between
 * success and partial success and do not affect this score.
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
