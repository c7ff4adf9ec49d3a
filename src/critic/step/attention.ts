import type { StepCase } from '../../model/critic/judged-case.ts';
import { type Evaluator, FULL, short } from '../evaluators/evaluator.ts';

/** Loss for a step that needed a person, however many gates it took. */
const ATTENTION_LOSS = 0.05;

/**
 * Lowers the score of a step that needed a person, because people's time is a cost that token counts do not show. The
 * loss is too small to change a verdict.
 */
export const attention: Evaluator<StepCase> = {
  name: 'attention',
  version: '1',
  feeds: 'utility',
  assess: ({ step, support }) => {
    if (support.approvals.length === 0) return FULL;
    const asked = support.approvals.filter((entry) => entry.step_id === step.id);
    if (asked.length === 0) return FULL;
    return short(1 - ATTENTION_LOSS, `needed ${asked.map(({ approver }) => approver).join(', ')}`);
  },
};
