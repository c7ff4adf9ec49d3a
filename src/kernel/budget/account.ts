import { type Allotment, AMOUNT_MAX, type BudgetCounters, type Need, type Tally } from '../../model/budget/budget.ts';
import { COUNTER_ROWS, type CounterRow, MICROUSD_PER_USD } from '../../model/budget/dimensions.ts';
import { Fault } from '../../model/fault/fault.ts';

/**
 * Arithmetic over one account: caps, used and reserved amounts. The functions of the common path are written out field
 * by field, because they run several times in every action cycle; only a refusal loops over the table.
 */

export const NOTHING: BudgetCounters = Object.freeze({
  input_tokens: 0,
  output_tokens: 0,
  tool_calls: 0,
  external_api_calls: 0,
  cost_microusd: 0,
  tool_spend_microusd: 0,
  reflection_passes: 0,
  memory_writes: 0,
  side_effects: 0,
  steps: 0,
  replan_attempts: 0,
  lanes: 0,
});

export const toMicrousd = (usd: number): number => Math.round(usd * MICROUSD_PER_USD);

const microcap = (usd: number | undefined): number => (usd === undefined ? Infinity : toMicrousd(usd));

export function isAmount(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= AMOUNT_MAX;
}

/** True if the need fits. A need of 0 always fits, even after an overrun. */
function canPay(cap: number | undefined, used: number, reserved: number, need: number | undefined): boolean {
  if (need === undefined || need === 0) return true;
  return isAmount(need) && need <= (cap ?? Infinity) - used - reserved;
}

export function fits(caps: Allotment, { used: u, reserved: r }: Tally, n: Need): boolean {
  return (
    canPay(caps.side_effects_max, u.side_effects, r.side_effects, n.side_effects) &&
    canPay(caps.memory_writes_max, u.memory_writes, r.memory_writes, n.memory_writes) &&
    canPay(caps.tool_calls_max, u.tool_calls, r.tool_calls, n.tool_calls) &&
    canPay(caps.external_api_calls_max, u.external_api_calls, r.external_api_calls, n.external_api_calls) &&
    canPay(caps.input_tokens_max, u.input_tokens, r.input_tokens, n.input_tokens) &&
    canPay(caps.output_tokens_max, u.output_tokens, r.output_tokens, n.output_tokens) &&
    canPay(microcap(caps.inference_cost_usd_max), u.cost_microusd, r.cost_microusd, n.cost_microusd) &&
    canPay(microcap(caps.tool_spend_usd_max), u.tool_spend_microusd, r.tool_spend_microusd, n.tool_spend_microusd) &&
    canPay(caps.reflection_passes_max, u.reflection_passes, r.reflection_passes, n.reflection_passes) &&
    canPay(caps.steps_max, u.steps, r.steps, n.steps) &&
    canPay(caps.replan_attempts_max, u.replan_attempts, r.replan_attempts, n.replan_attempts) &&
    canPay(caps.lanes_max, u.lanes, r.lanes, n.lanes)
  );
}

/** True if no counter exceeds its cap, reservations included. */
export function isWithinCaps(caps: Allotment, { used: u, reserved: r }: Tally): boolean {
  return (
    u.side_effects + r.side_effects <= (caps.side_effects_max ?? Infinity) &&
    u.memory_writes + r.memory_writes <= (caps.memory_writes_max ?? Infinity) &&
    u.tool_calls + r.tool_calls <= (caps.tool_calls_max ?? Infinity) &&
    u.external_api_calls + r.external_api_calls <= (caps.external_api_calls_max ?? Infinity) &&
    u.input_tokens + r.input_tokens <= (caps.input_tokens_max ?? Infinity) &&
    u.output_tokens + r.output_tokens <= (caps.output_tokens_max ?? Infinity) &&
    u.cost_microusd + r.cost_microusd <= microcap(caps.inference_cost_usd_max) &&
    u.tool_spend_microusd + r.tool_spend_microusd <= microcap(caps.tool_spend_usd_max) &&
    u.reflection_passes + r.reflection_passes <= (caps.reflection_passes_max ?? Infinity) &&
    u.steps + r.steps <= (caps.steps_max ?? Infinity) &&
    u.replan_attempts + r.replan_attempts <= (caps.replan_attempts_max ?? Infinity) &&
    u.lanes + r.lanes <= (caps.lanes_max ?? Infinity)
  );
}

/** Separate from `subtract`, because a sign factor would produce -0, which engines do not store as a small integer. */
export function add(counters: BudgetCounters, n: Need): BudgetCounters {
  return {
    input_tokens: counters.input_tokens + (n.input_tokens ?? 0),
    output_tokens: counters.output_tokens + (n.output_tokens ?? 0),
    tool_calls: counters.tool_calls + (n.tool_calls ?? 0),
    external_api_calls: counters.external_api_calls + (n.external_api_calls ?? 0),
    cost_microusd: counters.cost_microusd + (n.cost_microusd ?? 0),
    tool_spend_microusd: counters.tool_spend_microusd + (n.tool_spend_microusd ?? 0),
    reflection_passes: counters.reflection_passes + (n.reflection_passes ?? 0),
    memory_writes: counters.memory_writes + (n.memory_writes ?? 0),
    side_effects: counters.side_effects + (n.side_effects ?? 0),
    steps: counters.steps + (n.steps ?? 0),
    replan_attempts: counters.replan_attempts + (n.replan_attempts ?? 0),
    lanes: counters.lanes + (n.lanes ?? 0),
  };
}

function subtract(counters: BudgetCounters, n: Need): BudgetCounters {
  return {
    input_tokens: counters.input_tokens - (n.input_tokens ?? 0),
    output_tokens: counters.output_tokens - (n.output_tokens ?? 0),
    tool_calls: counters.tool_calls - (n.tool_calls ?? 0),
    external_api_calls: counters.external_api_calls - (n.external_api_calls ?? 0),
    cost_microusd: counters.cost_microusd - (n.cost_microusd ?? 0),
    tool_spend_microusd: counters.tool_spend_microusd - (n.tool_spend_microusd ?? 0),
    reflection_passes: counters.reflection_passes - (n.reflection_passes ?? 0),
    memory_writes: counters.memory_writes - (n.memory_writes ?? 0),
    side_effects: counters.side_effects - (n.side_effects ?? 0),
    steps: counters.steps - (n.steps ?? 0),
    replan_attempts: counters.replan_attempts - (n.replan_attempts ?? 0),
    lanes: counters.lanes - (n.lanes ?? 0),
  };
}

/** The remainder of a counter: `Infinity` without a cap, negative after an overrun. */
export function remainderOf(caps: Allotment, tally: Tally, { counter, dimension, scale }: CounterRow): number {
  const cap = caps[`${dimension}_max`];
  return (cap === undefined ? Infinity : Math.round(cap * scale)) - tally.used[counter] - tally.reserved[counter];
}

export const EMPTY_TALLY: Tally = Object.freeze({ used: NOTHING, reserved: NOTHING });

const isAbsentOrAmount = (value: number | undefined): boolean => value === undefined || isAmount(value);

function areAmounts(n: Need): boolean {
  return (
    isAbsentOrAmount(n.input_tokens) &&
    isAbsentOrAmount(n.output_tokens) &&
    isAbsentOrAmount(n.tool_calls) &&
    isAbsentOrAmount(n.external_api_calls) &&
    isAbsentOrAmount(n.cost_microusd) &&
    isAbsentOrAmount(n.tool_spend_microusd) &&
    isAbsentOrAmount(n.reflection_passes) &&
    isAbsentOrAmount(n.memory_writes) &&
    isAbsentOrAmount(n.side_effects) &&
    isAbsentOrAmount(n.steps) &&
    isAbsentOrAmount(n.replan_attempts) &&
    isAbsentOrAmount(n.lanes)
  );
}

/** Throws unless every amount is an integer within bounds. Nothing is counted if one is not. */
export function assertAmounts(need: Need): void {
  if (areAmounts(need)) return;
  for (const { counter } of COUNTER_ROWS) {
    const amount = need[counter];
    if (isAbsentOrAmount(amount)) continue;
    const message = `${counter}: ${amount} is not a whole number from 0 to ${AMOUNT_MAX}`;
    throw new Fault('budget_invalid', message, { path: `/${counter}` });
  }
}

function isNothing(c: BudgetCounters): boolean {
  return (
    c.tool_calls === 0 &&
    c.steps === 0 &&
    c.side_effects === 0 &&
    c.external_api_calls === 0 &&
    c.input_tokens === 0 &&
    c.output_tokens === 0 &&
    c.cost_microusd === 0 &&
    c.tool_spend_microusd === 0 &&
    c.reflection_passes === 0 &&
    c.memory_writes === 0 &&
    c.replan_attempts === 0 &&
    c.lanes === 0
  );
}

function isSound(c: BudgetCounters): boolean {
  return (
    c.tool_calls >= 0 &&
    c.steps >= 0 &&
    c.side_effects >= 0 &&
    c.external_api_calls >= 0 &&
    c.input_tokens >= 0 &&
    c.output_tokens >= 0 &&
    c.cost_microusd >= 0 &&
    c.tool_spend_microusd >= 0 &&
    c.reflection_passes >= 0 &&
    c.memory_writes >= 0 &&
    c.replan_attempts >= 0 &&
    c.lanes >= 0
  );
}

/** Subtracts a need from the reserved amounts. More than was reserved means a contradictory journal, so it throws. */
export function unreserve(reserved: BudgetCounters, need: Need): BudgetCounters {
  assertAmounts(need);
  const rest = subtract(reserved, need);
  if (isNothing(rest)) return NOTHING;
  if (isSound(rest)) return rest;
  const short = COUNTER_ROWS.find(({ counter }) => rest[counter] < 0)?.counter ?? '';
  throw new Fault('budget_invalid', `${short}: more is given back than was reserved`, { path: `/${short}` });
}
