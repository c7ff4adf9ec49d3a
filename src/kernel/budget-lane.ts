import type { BudgetCaps, BudgetCounters } from '../model/budget.ts';
import type { Need } from './budget.ts';
import { toMicrousd } from './budget-account.ts';

/**
 * Everything a lane may spend is reserved out of its parent's remainder before it opens, so however many lanes run at
 * once, they and their parent together cannot spend more than the parent had. When a lane has ended the parent is
 * charged what it spent, what never came back in it included, and gets the rest back.
 */

/** What a lane is given: what it wants, and nowhere more generous than its parent is to itself. */
export function laneCaps(
  parent: BudgetCaps,
  wanted: BudgetCaps,
  leftMs: number = Number.POSITIVE_INFINITY,
): BudgetCaps {
  const seconds = Math.min(wanted.wall_clock_seconds_max, parent.wall_clock_seconds_max, Math.ceil(leftMs / 1000));
  return {
    ...wanted,
    wall_clock_seconds_max: seconds,
    context_tokens_max: Math.min(wanted.context_tokens_max, parent.context_tokens_max),
    retry_count_max: Math.min(wanted.retry_count_max, parent.retry_count_max),
  };
}

/** The step of the parent that waits for a lane, the lane itself, and all that it may spend. */
export function laneNeed(caps: BudgetCaps): BudgetCounters {
  return {
    input_tokens: caps.input_tokens_max,
    output_tokens: caps.output_tokens_max,
    tool_calls: caps.tool_calls_max,
    external_api_calls: caps.external_api_calls_max,
    cost_microusd: toMicrousd(caps.inference_cost_usd_max),
    tool_spend_microusd: toMicrousd(caps.tool_spend_usd_max ?? 0),
    reflection_passes: caps.reflection_passes_max,
    memory_writes: caps.memory_writes_max,
    side_effects: caps.side_effects_max,
    steps: caps.steps_max + 1,
    replan_attempts: caps.replan_attempts_max,
    lanes: caps.lanes_max + 1,
  };
}

/** The step, the lane, and what it has spent. */
export const laneSpent = (used: Need): Need => ({
  ...used,
  steps: (used.steps ?? 0) + 1,
  lanes: (used.lanes ?? 0) + 1,
});
