import { AMOUNT_MAX, type BudgetDimension, MICROUSD_PER_USD } from '../model/budget.ts';
import type { ToolSpec } from '../model/tool.ts';
import { NOTHING } from './budget-account.ts';
import type { Amounts } from './budget-view.ts';

/**
 * What is still needed to finish, as an interval per dimension: `lower` is what the remaining steps certainly take,
 * `upper` what they may take with every retry. Kept as running totals: a step is added when a plan comes into force
 * and subtracted when it is done, so no step of the run walks the plan.
 */
export interface Estimate {
  readonly lower: Amounts;
  readonly upper: Amounts;
}

const NO_AMOUNTS: Amounts = Object.freeze({ ...NOTHING, wall_clock_ms: 0, retry_count: 0, context_tokens: 0 });
export const NO_ESTIMATE: Estimate = Object.freeze({ lower: NO_AMOUNTS, upper: NO_AMOUNTS });

/** Every step of a plan asks, and what a tool may cost does not change during its life. */
const estimates: WeakMap<ToolSpec, Estimate> = new WeakMap();

/** One step that calls this tool. A tool states the most it costs, so nothing is certain but that it is called. */
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

/** Where the budget falls short of a bound, in the unit of the dimension. */
export interface Shortage {
  readonly dimension: BudgetDimension;
  readonly needed: number;
  readonly left: number;
}

/** The dimension that cannot last to the end whatever happens. Exactly enough is enough. */
export function earlyStop(remaining: Amounts, estimate: Estimate): Shortage | null {
  if (covers(remaining, estimate.lower) && remaining.retry_count >= estimate.lower.retry_count) return null;
  return isSound(estimate) ? shortage(remaining, estimate.lower, ROWS) : null;
}

/**
 * A dimension that may not last to the end: worth a warning, never a stop. Retries are counted in a row, so what all
 * steps together may need of them is not what the cap is for.
 */
export function atRisk(remaining: Amounts, estimate: Estimate): Shortage | null {
  if (covers(remaining, estimate.upper)) return null;
  return isSound(estimate) ? shortage(remaining, estimate.upper, SUMMED) : null;
}

/**
 * An estimate that contradicts itself is no estimate: it neither stops the run nor excuses anything, and the caps
 * hold as they always do.
 */
export function isSound({ lower, upper }: Estimate): boolean {
  for (const { amount } of ROWS) {
    const least = lower[amount];
    const most = upper[amount];
    if (!(least >= 0 && least <= most && most <= AMOUNT_MAX)) return false;
  }
  return true;
}

interface Row {
  readonly amount: keyof Amounts;
  readonly dimension: BudgetDimension;
  readonly scale: number;
}

const same = (dimension: BudgetDimension & keyof Amounts): Row => ({ amount: dimension, dimension, scale: 1 });

const ROWS: readonly Row[] = [
  same('side_effects'),
  same('memory_writes'),
  same('tool_calls'),
  same('external_api_calls'),
  same('input_tokens'),
  same('output_tokens'),
  { amount: 'cost_microusd', dimension: 'inference_cost_usd', scale: MICROUSD_PER_USD },
  { amount: 'tool_spend_microusd', dimension: 'tool_spend_usd', scale: MICROUSD_PER_USD },
  { amount: 'wall_clock_ms', dimension: 'wall_clock_seconds', scale: 1000 },
  same('retry_count'),
  same('reflection_passes'),
  same('context_tokens'),
  same('steps'),
  same('replan_attempts'),
  same('lanes'),
];

const SUMMED: readonly Row[] = ROWS.filter(({ dimension }) => dimension !== 'retry_count');

/**
 * Asked before every step and nearly always true, so it is written out; the table is walked only for an answer. Of
 * everything but the retries, which are no sum.
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

/** A dimension of which nothing is needed is no obstacle, even where an overrun has left less than nothing. */
function shortage(remaining: Amounts, bound: Amounts, rows: readonly Row[]): Shortage | null {
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
