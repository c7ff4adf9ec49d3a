import type { Budget } from '../../model/budget/budget.ts';
import { MICROUSD_PER_USD } from '../../model/budget/dimensions.ts';
import { Fault } from '../../model/fault/fault.ts';

/** Prices per unit, in dollars. */
export interface UnitPrices {
  readonly input_token: number;
  readonly output_token: number;
  readonly tool_call: number;
  readonly external_api_call: number;
  readonly gpu_second: number;
  readonly review_unit: number;
}

/**
 * The cost of a run in dollars, as the sum of six terms rounded to a microdollar. It is for reports and bills only: no
 * decision about an action reads it, so a low cost lifts no cap.
 */
export function scalarCost({ used, gpu_ms, human_reviews }: Budget, prices: UnitPrices): number {
  for (const [unit, price] of Object.entries(prices)) {
    if (Number.isFinite(price) && price >= 0) continue;
    throw new Fault('budget_invalid', `${unit}: ${price} is not a price`, { path: `/${unit}` });
  }
  const usd =
    used.input_tokens * prices.input_token +
    used.output_tokens * prices.output_token +
    used.tool_calls * prices.tool_call +
    used.external_api_calls * prices.external_api_call +
    (gpu_ms / 1000) * prices.gpu_second +
    human_reviews * prices.review_unit;
  return Math.round(usd * MICROUSD_PER_USD) / MICROUSD_PER_USD;
}
