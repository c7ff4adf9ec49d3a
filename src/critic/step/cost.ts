import type { ToolCost } from '../../model/tool.ts';
import { FULL, short } from '../assessment.ts';
import type { Assessment, Evaluator, Spending, StepCase } from '../evaluator.ts';

/**
 * What spending beyond the projection can cost at most. Bounds are kept by the budget; a score only says that the
 * same result could have been cheaper, so it may shade a verdict and never turn it.
 */
const OVERRUN_LOSS = 0.1;

const DIMENSIONS: readonly (keyof ToolCost)[] = ['input_tokens', 'output_tokens', 'microusd'];

/** Loses in proportion to the part of the spending that nobody projected; the worst dimension counts. */
export const cost: Evaluator<StepCase> = {
  name: 'cost',
  version: '1',
  feeds: 'utility',
  assess: ({ support }) => {
    let worst = FULL;
    for (const dimension of DIMENSIONS) worst = worse(worst, support.spending, dimension);
    return worst;
  },
};

/** Spending that is no number gives a score that is no number, which the judge refuses. */
function worse(worst: Assessment, { spent, projected }: Spending, dimension: keyof ToolCost): Assessment {
  const [used, planned] = [spent[dimension], projected[dimension]];
  if (used <= planned) return worst;
  const score = 1 - OVERRUN_LOSS * ((used - planned) / used);
  return score >= worst.score ? worst : short(score, `${dimension}: ${used} spent, ${planned} projected`);
}
