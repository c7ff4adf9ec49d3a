import {
  type Allotment,
  AMOUNT_MAX,
  type BudgetCounter,
  type BudgetCounters,
  type BudgetDimension,
  MICROUSD_PER_USD,
  type Need,
  type Tally,
} from '../model/budget.ts';
import { Fault } from '../model/fault.ts';

/**
 * Arithmetic over one account: caps, what is used, what is set aside. The functions of the good path are written
 * out field by field, because they run several times in every action cycle; only a refusal walks the table.
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

interface CounterRow {
  readonly counter: BudgetCounter;
  readonly dimension: Exclude<BudgetDimension, 'wall_clock_seconds' | 'retry_count' | 'context_tokens'>;
  /** How many of the counter make one of the unit that people read. */
  readonly scale: number;
}

const row = (dimension: CounterRow['dimension'] & BudgetCounter): CounterRow => ({
  counter: dimension,
  dimension,
  scale: 1,
});

/** In the order in which a refusal looks for its dimension. */
export const COUNTER_ROWS: readonly CounterRow[] = [
  row('side_effects'),
  row('memory_writes'),
  row('tool_calls'),
  row('external_api_calls'),
  row('input_tokens'),
  row('output_tokens'),
  { counter: 'cost_microusd', dimension: 'inference_cost_usd', scale: MICROUSD_PER_USD },
  { counter: 'tool_spend_microusd', dimension: 'tool_spend_usd', scale: MICROUSD_PER_USD },
  row('reflection_passes'),
  row('steps'),
  row('replan_attempts'),
  row('lanes'),
];

/** Money as it is written down, counted in millionths. */
export const toMicrousd = (usd: number): number => Math.round(usd * MICROUSD_PER_USD);

const microcap = (usd: number | undefined): number => (usd === undefined ? Infinity : toMicrousd(usd));

export function isAmount(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= AMOUNT_MAX;
}

/** A need of nothing always fits, even where an overrun has left less than nothing. */
function room(cap: number | undefined, used: number, reserved: number, need: number | undefined): boolean {
  if (need === undefined || need === 0) return true;
  return isAmount(need) && need <= (cap ?? Infinity) - used - reserved;
}

export function fits(caps: Allotment, { used: u, reserved: r }: Tally, n: Need): boolean {
  return (
    room(caps.side_effects_max, u.side_effects, r.side_effects, n.side_effects) &&
    room(caps.memory_writes_max, u.memory_writes, r.memory_writes, n.memory_writes) &&
    room(caps.tool_calls_max, u.tool_calls, r.tool_calls, n.tool_calls) &&
    room(caps.external_api_calls_max, u.external_api_calls, r.external_api_calls, n.external_api_calls) &&
    room(caps.input_tokens_max, u.input_tokens, r.input_tokens, n.input_tokens) &&
    room(caps.output_tokens_max, u.output_tokens, r.output_tokens, n.output_tokens) &&
    room(microcap(caps.inference_cost_usd_max), u.cost_microusd, r.cost_microusd, n.cost_microusd) &&
    room(microcap(caps.tool_spend_usd_max), u.tool_spend_microusd, r.tool_spend_microusd, n.tool_spend_microusd) &&
    room(caps.reflection_passes_max, u.reflection_passes, r.reflection_passes, n.reflection_passes) &&
    room(caps.steps_max, u.steps, r.steps, n.steps) &&
    room(caps.replan_attempts_max, u.replan_attempts, r.replan_attempts, n.replan_attempts) &&
    room(caps.lanes_max, u.lanes, r.lanes, n.lanes)
  );
}

/** True while no counter, with what is set aside, stands above its cap. */
export function within(caps: Allotment, { used: u, reserved: r }: Tally): boolean {
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

/** Two functions and no sign to multiply by: minus one times nothing is a minus zero, which is no small integer. */
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

/** What is left of a counter; `Infinity` where the account has no cap for it, negative after an overrun. */
export function left(caps: Allotment, tally: Tally, { counter, dimension, scale }: CounterRow): number {
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

/** Every amount that enters an accumulator is a whole number in bounds, or nothing is counted at all. */
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

/** Takes back what was set aside. More than was set aside is a contradiction in the journal, so it is refused. */
export function unreserve(reserved: BudgetCounters, need: Need): BudgetCounters {
  assertAmounts(need);
  const rest = subtract(reserved, need);
  if (isNothing(rest)) return NOTHING;
  if (isSound(rest)) return rest;
  const short = COUNTER_ROWS.find(({ counter }) => rest[counter] < 0)?.counter ?? '';
  throw new Fault('budget_invalid', `${short}: more is given back than was reserved`, { path: `/${short}` });
}
