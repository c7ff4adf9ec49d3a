import { AMOUNT_MAX } from '../../model/budget/budget.ts';
import { AMOUNT_ROWS, type AmountRow, type BudgetDimension } from '../../model/budget/dimensions.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import { NOTHING } from './account.ts';
import type { Amounts } from './view.ts';

/**
 * The need of the remaining steps, as an interval per dimension: `lower` is certain, `upper` includes every retry. Both
 * are running totals, to which a plan's steps are added and from which a finished step is subtracted, so no step of the
 * run walks the plan.
 */
export interface Estimate {
  readonly lower: Amounts;
  readonly upper: Amounts;
}

const NO_AMOUNTS: Amounts = Object.freeze({ ...NOTHING, wall_clock_ms: 0, retry_count: 0, context_tokens: 0 });
export const NO_ESTIMATE: Estimate = Object.freeze({ lower: NO_AMOUNTS, upper: NO_AMOUNTS });

/** Cached by tool, because every step of a plan needs it and a tool's maximum cost never changes. */
const estimates: WeakMap<ToolSpec, Estimate> = new WeakMap();

/** The estimate of one step. A tool declares only its maximum cost, so only the call itself is certain. */
export function stepEstimate(tool: ToolSpec): Estimate {
  const known = estimates.get(tool);
  if (known !== undefined) return known;
  const estimate = estimateOf(tool);
  estimates.set(tool, estimate);
  return estimate;
}

function estimateOf(tool: ToolSpec): Estimate {
  const attempts = tool.retries_max + 1;
  const lower: Amounts = {
    ...NO_AMOUNTS,
    steps: 1,
    tool_calls: 1,
    external_api_calls: tool.external ? 1 : 0,
    side_effects: tool.side_effect ? 1 : 0,
  };
  const upper: Amounts = {
    ...lower,
    tool_calls: attempts,
    external_api_calls: lower.external_api_calls * attempts,
    input_tokens: tool.cost.input_tokens * attempts,
    output_tokens: tool.cost.output_tokens * attempts,
    tool_spend_microusd: tool.cost.microusd * attempts,
    wall_clock_ms: tool.timeout_ms * attempts,
    retry_count: tool.retries_max,
  };
  return { lower, upper };
}

export function addEstimate(total: Estimate, step: Estimate): Estimate {
  return { lower: sum(total.lower, step.lower), upper: sum(total.upper, step.upper) };
}

export function subtractEstimate(total: Estimate, step: Estimate): Estimate {
  return { lower: difference(total.lower, step.lower), upper: difference(total.upper, step.upper) };
}

/** A bound that exceeds the remaining budget, in the unit of the dimension. */
export interface Shortage {
  readonly dimension: BudgetDimension;
  readonly needed: number;
  readonly left: number;
}

/** Returns a dimension that certainly does not suffice. Exactly enough suffices. */
export function earlyStop(remaining: Amounts, estimate: Estimate): Shortage | null {
  if (covers(remaining, estimate.lower) && remaining.retry_count >= estimate.lower.retry_count) return null;
  return isSound(estimate) ? shortage(remaining, estimate.lower, AMOUNT_ROWS) : null;
}

/**
 * Returns a dimension that may not suffice, which is a warning and never a stop. Retries are left out: their cap limits
 * consecutive failures, not the sum over all steps.
 */
export function atRisk(remaining: Amounts, estimate: Estimate): Shortage | null {
  if (covers(remaining, estimate.upper)) return null;
  return isSound(estimate) ? shortage(remaining, estimate.upper, SUMMED) : null;
}

/** True if the bounds do not contradict each other. A contradictory estimate stops no run; the caps still hold. */
export function isSound({ lower, upper }: Estimate): boolean {
  for (const { amount } of AMOUNT_ROWS) {
    const least = lower[amount];
    const most = upper[amount];
    if (!(least >= 0 && least <= most && most <= AMOUNT_MAX)) return false;
  }
  return true;
}

const SUMMED: readonly AmountRow[] = AMOUNT_ROWS.filter(({ role }) => role !== 'consecutive');

/**
 * True if the budget covers the bound in every dimension but retries, which are not a sum. It runs before every step
 * and is nearly always true, so it is written out; the table is used only to find the shortage.
 */
function covers(r: Amounts, bound: Amounts): boolean {
  return (
    r.input_tokens >= bound.input_tokens &&
    r.output_tokens >= bound.output_tokens &&
    r.tool_calls >= bound.tool_calls &&
    r.external_api_calls >= bound.external_api_calls &&
    r.cost_microusd >= bound.cost_microusd &&
    r.tool_spend_microusd >= bound.tool_spend_microusd &&
    r.reflection_passes >= bound.reflection_passes &&
    r.memory_writes >= bound.memory_writes &&
    r.side_effects >= bound.side_effects &&
    r.steps >= bound.steps &&
    r.replan_attempts >= bound.replan_attempts &&
    r.lanes >= bound.lanes &&
    r.wall_clock_ms >= bound.wall_clock_ms &&
    r.context_tokens >= bound.context_tokens
  );
}

/** Finds a dimension that is needed and short. A need of 0 is never short, even after an overrun. */
function shortage(remaining: Amounts, bound: Amounts, rows: readonly AmountRow[]): Shortage | null {
  for (const { amount, dimension, scale } of rows) {
    const needed = bound[amount];
    if (needed > 0 && remaining[amount] < needed) {
      return { dimension, needed: needed / scale, left: remaining[amount] / scale };
    }
  }
  return null;
}

function sum(a: Amounts, b: Amounts): Amounts {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    tool_calls: a.tool_calls + b.tool_calls,
    external_api_calls: a.external_api_calls + b.external_api_calls,
    cost_microusd: a.cost_microusd + b.cost_microusd,
    tool_spend_microusd: a.tool_spend_microusd + b.tool_spend_microusd,
    reflection_passes: a.reflection_passes + b.reflection_passes,
    memory_writes: a.memory_writes + b.memory_writes,
    side_effects: a.side_effects + b.side_effects,
    steps: a.steps + b.steps,
    replan_attempts: a.replan_attempts + b.replan_attempts,
    lanes: a.lanes + b.lanes,
    wall_clock_ms: a.wall_clock_ms + b.wall_clock_ms,
    retry_count: a.retry_count + b.retry_count,
    context_tokens: a.context_tokens + b.context_tokens,
  };
}

function difference(a: Amounts, b: Amounts): Amounts {
  return {
    input_tokens: a.input_tokens - b.input_tokens,
    output_tokens: a.output_tokens - b.output_tokens,
    tool_calls: a.tool_calls - b.tool_calls,
    external_api_calls: a.external_api_calls - b.external_api_calls,
    cost_microusd: a.cost_microusd - b.cost_microusd,
    tool_spend_microusd: a.tool_spend_microusd - b.tool_spend_microusd,
    reflection_passes: a.reflection_passes - b.reflection_passes,
    memory_writes: a.memory_writes - b.memory_writes,
    side_effects: a.side_effects - b.side_effects,
    steps: a.steps - b.steps,
    replan_attempts: a.replan_attempts - b.replan_attempts,
    lanes: a.lanes - b.lanes,
    wall_clock_ms: a.wall_clock_ms - b.wall_clock_ms,
    retry_count: a.retry_count - b.retry_count,
    context_tokens: a.context_tokens - b.context_tokens,
  };
}
