import type { ToolCost } from '../../model/tool.ts';
import { FULL, short } from '../assessment.ts';
import type { Assessment, Evaluator, StepCase } from '../evaluator.ts';

/**
 * What spending beyond the projection can cost at most. Bounds are kept by the budget; a score only says that the
 * same result could have been cheaper, so it may shade a verdict and never turn it.
 */
const OVERRUN_LOSS = 0.1;

/** Loses in proportion to the part of the spending that nobody projected; the worst dimension counts. */
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

/** Spending that is no number gives a score that is no number, which the judge refuses. */
function worse(worst: Assessment, dimension: keyof ToolCost, used: number, planned: number): Assessment {
  if (used <= planned) return worst;
  const score = 1 - OVERRUN_LOSS * ((used - planned) / used);
  return score >= worst.score ? worst : short(score, `${dimension}: ${used} spent, ${planned} projected`);
}
