import type { StepCase } from '../../model/critic/judged-case.ts';
import type { ToolCost } from '../../model/tool/tool.ts';
import { type Assessment, type Evaluator, FULL, short } from '../evaluators/evaluator.ts';

/**
 * Largest loss for spending beyond the projection. The budget enforces limits; this score only records that the same
 * result could have been cheaper, and the loss is too small to change a verdict.
 */
const OVERRUN_LOSS = 0.1;

/** Lowers the score in proportion to the share of spending beyond the projection; the worst dimension counts. */
export const cost: Evaluator<StepCase> = {
  name: 'cost',
  version: '1',
  feeds: 'utility',
  assess: ({ support }) => {
    const { spent, projected } = support.spending;
    const read = worse(FULL, 'input_tokens', spent.input_tokens, projected.input_tokens);
    const written = worse(read, 'output_tokens', spent.output_tokens, projected.output_tokens);
    return worse(written, 'microusd', spent.microusd, projected.microusd);
  },
};

/** Spending that is not a number gives a score that is not a number, which the tally rejects. */
function worse(worst: Assessment, dimension: keyof ToolCost, used: number, planned: number): Assessment {
  if (used <= planned) return worst;
  const score = 1 - OVERRUN_LOSS * ((used - planned) / used);
  return score >= worst.score ? worst : short(score, `${dimension}: ${used} spent, ${planned} projected`);
}
