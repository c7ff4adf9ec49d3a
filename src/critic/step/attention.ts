import { FULL, short } from '../assessment.ts';
import type { Evaluator, StepCase } from '../evaluator.ts';

/** What it is worth less that somebody had to stop and decide, however many gates it took. */
const ATTENTION_LOSS = 0.05;

/**
 * People's time is a cost that no token count shows. A step that needed a person is worth a little less than the
 * same step without; like spending, that may shade a verdict and never turn it.
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
