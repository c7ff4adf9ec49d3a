import { MICROUSD_PER_USD } from '../../model/budget/dimensions.ts';
import { type RunCost, scalarCost } from '../../model/budget/run-cost.ts';
import type { RunState } from '../state/run-state.ts';

const NO_PRICES = Object.freeze({});

/**
 * The cost of a run so far, from its metered amounts and the prices in its manifest. Lanes are included, and so are
 * compensations, which no budget is charged for.
 */
export function runCost({ budget, counters, ending, manifest }: RunState): RunCost {
  const used = budget?.used;
  const undone = ending.rollback?.spent;
  const microusd = (used?.cost_microusd ?? 0) + (used?.tool_spend_microusd ?? 0) + (undone?.microusd ?? 0);
  const amounts = {
    input_token: (used?.input_tokens ?? 0) + (undone?.input_tokens ?? 0),
    output_token: (used?.output_tokens ?? 0) + (undone?.output_tokens ?? 0),
    tool_call: (used?.tool_calls ?? 0) + (undone?.calls ?? 0),
    external_api_call: used?.external_api_calls ?? 0,
    gpu_second: counters.gpuMs / 1000,
    review_unit: counters.humanReviews,
    metered_usd: microusd / MICROUSD_PER_USD,
  };
  return scalarCost(amounts, manifest?.prices ?? NO_PRICES);
}
