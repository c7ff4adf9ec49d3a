/** The eleven dimensions of the budget vector, and the three that bound the loop itself. None offsets another. */
export const BUDGET_DIMENSIONS = [
  'input_tokens',
  'output_tokens',
  'tool_calls',
  'external_api_calls',
  'wall_clock_seconds',
  'inference_cost_usd',
  'retry_count',
  'reflection_passes',
  'context_tokens',
  'memory_writes',
  'side_effects',
  'steps',
  'replan_attempts',
  'lanes',
] as const;
export type RequiredDimension = (typeof BUDGET_DIMENSIONS)[number];

/** `tool_spend_usd` is a dimension only if it has a cap; otherwise tool spending counts as inference cost. */
export type BudgetDimension = RequiredDimension | 'tool_spend_usd';
export const CAPPED_DIMENSIONS: readonly BudgetDimension[] = [...BUDGET_DIMENSIONS, 'tool_spend_usd'];

/** Dimensions that are measured. All others are counted: reserved before a call and settled after it. */
export interface MeasuredRoles {
  readonly wall_clock_seconds: 'deadline';
  /** Consecutive failed attempts; a success resets the count. */
  readonly retry_count: 'consecutive';
  /** The current size of the active context. */
  readonly context_tokens: 'gauge';
}
export type MeasuredDimension = keyof MeasuredRoles;
export type CountedDimension = Exclude<BudgetDimension, MeasuredDimension>;

/** The amounts whose unit differs from that of their dimension. They are integers, so that sums stay exact. */
interface FinerAmounts {
  readonly wall_clock_seconds: 'wall_clock_ms';
  /** The cost of inference, and of tools if tool spending has no cap of its own. */
  readonly inference_cost_usd: 'cost_microusd';
  readonly tool_spend_usd: 'tool_spend_microusd';
}
/** The name of a dimension's amount in the accumulators of a run. */
export type AmountOf<D extends BudgetDimension> = D extends keyof FinerAmounts ? FinerAmounts[D] : D;

interface DimensionRow<D extends BudgetDimension> {
  readonly role: D extends MeasuredDimension ? MeasuredRoles[D] : 'counter';
  readonly amount: AmountOf<D>;
  readonly unit: D extends `${string}_usd` ? 'usd' : D extends `${string}_seconds` ? 'seconds' : 'count';
  /** The number of amounts in one unit of the dimension. */
  readonly scale: number;
  /**
   * The part of the parent's budget that a lane takes: its cap; its cap and one more, for the lane itself; or nothing,
   * since its cap only must not exceed the parent's.
   */
  readonly lane: D extends MeasuredDimension ? 'below_parent' : 'cap' | 'cap_and_itself';
  /** The component that refuses an action when the dimension is spent. */
  readonly owner: string;
}

export const MICROUSD_PER_USD: number = 1_000_000;

/** Every dimension, in the order in which a refusal searches for the spent one. */
// biome-ignore format: a table is read by its columns, one row a line
export const DIMENSIONS: { readonly [D in BudgetDimension]: DimensionRow<D> } = {
  side_effects: { role: 'counter', amount: 'side_effects', unit: 'count', scale: 1, lane: 'cap', owner: 'tool policy layer and sandbox' },
  memory_writes: { role: 'counter', amount: 'memory_writes', unit: 'count', scale: 1, lane: 'cap', owner: 'memory write gate' },
  tool_calls: { role: 'counter', amount: 'tool_calls', unit: 'count', scale: 1, lane: 'cap', owner: 'tool gateway or policy interceptor' },
  external_api_calls: { role: 'counter', amount: 'external_api_calls', unit: 'count', scale: 1, lane: 'cap', owner: 'API gateway and tool proxy' },
  input_tokens: { role: 'counter', amount: 'input_tokens', unit: 'count', scale: 1, lane: 'cap', owner: 'gateway and context compiler' },
  output_tokens: { role: 'counter', amount: 'output_tokens', unit: 'count', scale: 1, lane: 'cap', owner: 'model router or gateway' },
  inference_cost_usd: { role: 'counter', amount: 'cost_microusd', unit: 'usd', scale: MICROUSD_PER_USD, lane: 'cap', owner: 'billing and quota controller' },
  tool_spend_usd: { role: 'counter', amount: 'tool_spend_microusd', unit: 'usd', scale: MICROUSD_PER_USD, lane: 'cap', owner: 'billing and quota controller' },
  wall_clock_seconds: { role: 'deadline', amount: 'wall_clock_ms', unit: 'seconds', scale: 1000, lane: 'below_parent', owner: 'orchestrator timeout controller' },
  retry_count: { role: 'consecutive', amount: 'retry_count', unit: 'count', scale: 1, lane: 'below_parent', owner: 'circuit breaker and retry policy' },
  reflection_passes: { role: 'counter', amount: 'reflection_passes', unit: 'count', scale: 1, lane: 'cap', owner: 'orchestrator' },
  context_tokens: { role: 'gauge', amount: 'context_tokens', unit: 'count', scale: 1, lane: 'below_parent', owner: 'context compiler' },
  steps: { role: 'counter', amount: 'steps', unit: 'count', scale: 1, lane: 'cap_and_itself', owner: 'orchestrator state machine' },
  replan_attempts: { role: 'counter', amount: 'replan_attempts', unit: 'count', scale: 1, lane: 'cap', owner: 'orchestrator' },
  lanes: { role: 'counter', amount: 'lanes', unit: 'count', scale: 1, lane: 'cap_and_itself', owner: 'orchestrator' },
};

/** A dimension with its amount, for code that iterates over the table. */
export interface AmountRow {
  readonly dimension: BudgetDimension;
  readonly amount: AmountOf<BudgetDimension>;
  readonly scale: number;
  readonly role: 'counter' | MeasuredRoles[MeasuredDimension];
}
export interface CounterRow {
  readonly dimension: CountedDimension;
  readonly counter: AmountOf<CountedDimension>;
  readonly scale: number;
}

export const AMOUNT_ROWS: readonly AmountRow[] = (Object.keys(DIMENSIONS) as BudgetDimension[]).map((dimension) => {
  const { amount, scale, role } = DIMENSIONS[dimension];
  return { dimension, amount, scale, role };
});
export const COUNTER_ROWS: readonly CounterRow[] = AMOUNT_ROWS.filter(({ role }) => role === 'counter').map(
  ({ dimension, amount, scale }) => ({ dimension, counter: amount, scale }) as CounterRow,
);
