import { type Budget, MICROUSD_PER_USD } from '../model/budget.ts';
import { COUNTER_ROWS, NOTHING } from './budget-account.ts';

/**
 * All accumulators at one instant, flat, under the names of the texts: what a checkpoint stores. One is made for
 * every verdict, so it is written out, by name as its canonical form has it; what is set aside is rarely anything then, and appears only where it is.
 */
export function budgetSnapshot(budget: Budget, elapsedMs: number): Readonly<Record<string, number>> {
  const { used } = budget;
  const snapshot = {
    context_tokens_used: budget.context_tokens,
    external_api_calls_used: used.external_api_calls,
    inference_cost_usd_used: used.cost_microusd / MICROUSD_PER_USD,
    input_tokens_used: used.input_tokens,
    lanes_used: used.lanes,
    memory_writes_used: used.memory_writes,
    output_tokens_used: used.output_tokens,
    reflection_passes_used: used.reflection_passes,
    replan_attempts_used: used.replan_attempts,
    retry_count_used: budget.retries_in_a_row,
    retry_total_used: budget.retries_total,
    side_effects_used: used.side_effects,
    steps_used: used.steps,
    tool_calls_used: used.tool_calls,
    tool_spend_usd_used: used.tool_spend_microusd / MICROUSD_PER_USD,
    wall_clock_seconds_used: elapsedMs / 1000,
  };
  return budget.reserved === NOTHING ? snapshot : { ...snapshot, ...setAside(budget) };
}

function setAside(budget: Budget): Readonly<Record<string, number>> {
  const reserved: Record<string, number> = {};
  for (const { counter, dimension, scale } of COUNTER_ROWS) {
    const amount = budget.reserved[counter];
    if (amount > 0) reserved[`${dimension}_reserved`] = amount / scale;
  }
  return reserved;
}
