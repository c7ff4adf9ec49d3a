import type { Budget, BudgetCaps } from '../../model/budget/budget.ts';
import {
  type AmountOf,
  type BudgetDimension,
  COUNTER_ROWS,
  MICROUSD_PER_USD,
  type RequiredDimension,
} from '../../model/budget/dimensions.ts';
import { NOTHING, toMicrousd } from './account.ts';

/** An integer amount of every dimension. */
export type Amounts = { readonly [D in BudgetDimension as AmountOf<D>]: number };

/**
 * Cap minus used minus reserved, per dimension; negative after an overrun. Without a cap of its own, tool spend has the
 * remainder of the inference cost. `elapsedMs` does not include time spent waiting for people.
 */
export function remaining(budget: Budget, elapsedMs: number = 0): Amounts {
  const { caps, used: u, reserved: r } = budget;
  const inference = toMicrousd(caps.inference_cost_usd_max) - u.cost_microusd - r.cost_microusd;
  return {
    input_tokens: caps.input_tokens_max - u.input_tokens - r.input_tokens,
    output_tokens: caps.output_tokens_max - u.output_tokens - r.output_tokens,
    tool_calls: caps.tool_calls_max - u.tool_calls - r.tool_calls,
    external_api_calls: caps.external_api_calls_max - u.external_api_calls - r.external_api_calls,
    cost_microusd: inference,
    tool_spend_microusd:
      caps.tool_spend_usd_max === undefined
        ? inference
        : toMicrousd(caps.tool_spend_usd_max) - u.tool_spend_microusd - r.tool_spend_microusd,
    reflection_passes: caps.reflection_passes_max - u.reflection_passes - r.reflection_passes,
    memory_writes: caps.memory_writes_max - u.memory_writes - r.memory_writes,
    side_effects: caps.side_effects_max - u.side_effects - r.side_effects,
    steps: caps.steps_max - u.steps - r.steps,
    replan_attempts: caps.replan_attempts_max - u.replan_attempts - r.replan_attempts,
    lanes: caps.lanes_max - u.lanes - r.lanes,
    wall_clock_ms: caps.wall_clock_seconds_max * 1000 - elapsedMs,
    retry_count: caps.retry_count_max - budget.retries_in_a_row,
    context_tokens: caps.context_tokens_max - budget.context_tokens,
  };
}

/** Amounts by dimension name, in the units of the dimensions. */
type DimensionAmounts = { readonly [D in RequiredDimension]: number } & { readonly tool_spend_usd?: number };

/** The budget in records and traces. `used` and `remaining` have the same keys. */
interface BudgetVector {
  readonly caps: BudgetCaps;
  readonly used: DimensionAmounts;
  readonly remaining: DimensionAmounts;
}

export function toWire(budget: Budget, elapsedMs: number): BudgetVector {
  const measured = {
    wall_clock_ms: elapsedMs,
    retry_count: budget.retries_in_a_row,
    context_tokens: budget.context_tokens,
  };
  const hasToolCap = budget.caps.tool_spend_usd_max !== undefined;
  return {
    caps: budget.caps,
    used: inDimensions({ ...budget.used, ...measured }, hasToolCap),
    remaining: inDimensions(remaining(budget, elapsedMs), hasToolCap),
  };
}

function inDimensions(amounts: Amounts, hasToolCap: boolean): DimensionAmounts {
  const { cost_microusd, tool_spend_microusd, wall_clock_ms, ...counts } = amounts;
  return {
    ...counts,
    wall_clock_seconds: wall_clock_ms / 1000,
    inference_cost_usd: cost_microusd / MICROUSD_PER_USD,
    ...(hasToolCap ? { tool_spend_usd: tool_spend_microusd / MICROUSD_PER_USD } : {}),
  };
}

/**
 * All accumulators as flat data for a checkpoint, such as `steps_used`. It is made for every verdict, so it is written
 * out, in the key order of canonical JSON; reserved amounts are rare at that time and appear only if there are some.
 */
export function budgetSnapshot(budget: Budget, elapsedMs: number): Readonly<Record<string, number>> {
  const { used } = budget;
  const snapshot: Readonly<Record<`${BudgetDimension}_used` | 'retry_total_used', number>> = {
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
  return budget.reserved === NOTHING ? snapshot : { ...snapshot, ...reservedAmounts(budget) };
}

function reservedAmounts(budget: Budget): Readonly<Record<string, number>> {
  const reserved: Record<string, number> = {};
  for (const { counter, dimension, scale } of COUNTER_ROWS) {
    const amount = budget.reserved[counter];
    if (amount > 0) reserved[`${dimension}_reserved`] = amount / scale;
  }
  return reserved;
}
