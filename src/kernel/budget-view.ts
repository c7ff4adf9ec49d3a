import {
  type Budget,
  type BudgetCaps,
  type BudgetCounters,
  type BudgetDimension,
  MICROUSD_PER_USD,
} from '../model/budget.ts';
import { toMicrousd } from './budget-account.ts';

/** An amount of every dimension, in whole numbers. */
export interface Amounts extends BudgetCounters {
  readonly wall_clock_ms: number;
  readonly retry_count: number;
  readonly context_tokens: number;
}

/**
 * Cap minus use minus what is set aside, each dimension for itself; below zero after an overrun. Where tools have no
 * cap of their own, what is left for them is what is left of the inference cost. The elapsed time leaves out whatever
 * the run spent waiting for people.
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

/** Amounts under the names and in the units of the dimensions. */
export type DimensionAmounts = { readonly [D in BudgetDimension]?: number };

/** The budget as records, traces and people see it. Both lists have the same keys. */
export interface BudgetVector {
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
