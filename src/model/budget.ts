import { z } from 'zod';
import { Fault } from './fault.ts';
import { Text } from './name.ts';
import { parse } from './parse.ts';

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

/** `tool_spend_usd` is a dimension only where a cap for it is given; otherwise tools spend from the inference cost. */
export type BudgetDimension = (typeof BUDGET_DIMENSIONS)[number] | 'tool_spend_usd';

/** Each role of the triad may have an allotment of its own inside the run's budget. */
export const BUDGET_ROLES = ['planner', 'executor', 'critic'] as const;
export type BudgetRole = (typeof BUDGET_ROLES)[number];

/** Caps of the dimensions that are counted: reserved before a call and settled after it. */
export interface Allotment {
  readonly input_tokens_max?: number;
  readonly output_tokens_max?: number;
  readonly tool_calls_max?: number;
  readonly external_api_calls_max?: number;
  readonly inference_cost_usd_max?: number;
  readonly tool_spend_usd_max?: number;
  readonly reflection_passes_max?: number;
  readonly memory_writes_max?: number;
  readonly side_effects_max?: number;
  readonly steps_max?: number;
  readonly replan_attempts_max?: number;
  readonly lanes_max?: number;
}

/** What a run may spend, as it is written down. A cap of zero denies the action and does not stop the run. */
export interface BudgetCaps extends Allotment {
  readonly input_tokens_max: number;
  readonly output_tokens_max: number;
  readonly tool_calls_max: number;
  readonly external_api_calls_max: number;
  readonly wall_clock_seconds_max: number;
  readonly inference_cost_usd_max: number;
  /** Failed attempts in a row; a success starts the count anew. */
  readonly retry_count_max: number;
  readonly reflection_passes_max: number;
  readonly context_tokens_max: number;
  readonly memory_writes_max: number;
  readonly side_effects_max: number;
  readonly steps_max: number;
  readonly replan_attempts_max: number;
  readonly lanes_max: number;
  /** Why this workflow may re-plan more than twice. */
  readonly replan_rationale?: string;
  readonly roles?: Readonly<Partial<Record<BudgetRole, Allotment>>>;
}

/** More than any run can count, yet sums of a few stay exact integers. */
export const AMOUNT_MAX: number = 1e15;
export const MICROUSD_PER_USD: number = 1_000_000;

const Count: z.ZodType<number> = z.int().nonnegative().max(AMOUNT_MAX);
const Seconds: z.ZodType<number> = z
  .int()
  .nonnegative()
  .max(AMOUNT_MAX / 1000);
const Usd: z.ZodType<number> = z
  .number()
  .nonnegative()
  .max(AMOUNT_MAX / MICROUSD_PER_USD);

const counted = {
  input_tokens_max: Count.exactOptional(),
  output_tokens_max: Count.exactOptional(),
  tool_calls_max: Count.exactOptional(),
  external_api_calls_max: Count.exactOptional(),
  inference_cost_usd_max: Usd.exactOptional(),
  tool_spend_usd_max: Usd.exactOptional(),
  reflection_passes_max: Count.exactOptional(),
  memory_writes_max: Count.exactOptional(),
  side_effects_max: Count.exactOptional(),
  steps_max: Count.exactOptional(),
  replan_attempts_max: Count.exactOptional(),
  lanes_max: Count.exactOptional(),
};
export const Allotment: z.ZodType<Allotment> = z.strictObject(counted);

const explained = {
  replan_rationale: Text.exactOptional(),
  roles: z
    .strictObject({
      planner: Allotment.exactOptional(),
      executor: Allotment.exactOptional(),
      critic: Allotment.exactOptional(),
    })
    .exactOptional(),
};

export const BudgetCaps: z.ZodType<BudgetCaps> = z.strictObject({
  input_tokens_max: Count,
  output_tokens_max: Count,
  tool_calls_max: Count,
  external_api_calls_max: Count,
  wall_clock_seconds_max: Seconds,
  inference_cost_usd_max: Usd,
  retry_count_max: Count,
  reflection_passes_max: Count,
  context_tokens_max: Count,
  memory_writes_max: Count,
  side_effects_max: Count,
  steps_max: Count,
  replan_attempts_max: Count,
  lanes_max: Count,
  tool_spend_usd_max: Usd.exactOptional(),
  ...explained,
});

/** Any part of the caps: what a configuration overrides, or what a tenant is limited to. */
export type PartialCaps = Partial<BudgetCaps>;
export const PartialCaps: z.ZodType<PartialCaps> = z.strictObject({
  ...counted,
  wall_clock_seconds_max: Seconds.exactOptional(),
  retry_count_max: Count.exactOptional(),
  context_tokens_max: Count.exactOptional(),
  ...explained,
});

/** More re-plans than this are allowed only where somebody wrote down why. */
export const REPLANS_WITHOUT_RATIONALE = 2;

export function parseCaps(value: unknown): BudgetCaps {
  const caps = parseBudget(BudgetCaps, value);
  const unexplained = caps.replan_rationale === undefined || caps.replan_rationale.trim() === '';
  if (caps.replan_attempts_max > REPLANS_WITHOUT_RATIONALE && unexplained) {
    throw new Fault(
      'replan_rationale_required',
      `replan_attempts_max is ${caps.replan_attempts_max}: say in replan_rationale why more than ${REPLANS_WITHOUT_RATIONALE} are needed`,
      { path: '/replan_attempts_max' },
    );
  }
  return caps;
}

/**
 * NaN and Infinity fail already as JSON; whoever states a budget is told all the same that it is the budget, and which
 * one, by its place in what was put together.
 */
export function parseBudget<T>(schema: z.ZodType<T>, value: unknown, place = ''): T {
  try {
    return parse(schema, value, 'budget_invalid');
  } catch (error) {
    if (!Fault.is(error)) throw error;
    const message = place === '' ? error.message : `${place.slice(1)}: ${error.message}`;
    throw new Fault('budget_invalid', message, { path: `${place}${error.path ?? ''}`, cause: error });
  }
}

/** Counted amounts: integers only, money as millionths of a dollar, so that no sum drifts. */
export interface BudgetCounters {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly tool_calls: number;
  readonly external_api_calls: number;
  /** Inference; and what tools spend, where that has no cap of its own. */
  readonly cost_microusd: number;
  readonly tool_spend_microusd: number;
  readonly reflection_passes: number;
  readonly memory_writes: number;
  readonly side_effects: number;
  readonly steps: number;
  readonly replan_attempts: number;
  readonly lanes: number;
}
export type BudgetCounter = keyof BudgetCounters;

/** What an action will take or has taken. A counter that is absent is zero. */
export type Need = Partial<BudgetCounters>;

/** What has been spent, and what is set aside for calls that have not come back. */
export interface Tally {
  readonly used: BudgetCounters;
  readonly reserved: BudgetCounters;
}

/** A run's budget: the caps in force and the accumulators. Plain data; one value is one consistent snapshot. */
export interface Budget extends Tally {
  readonly caps: BudgetCaps;
  readonly roles: Readonly<Record<BudgetRole, Tally>>;
  /** A gauge: how large the active context is now. */
  readonly context_tokens: number;
  readonly retries_in_a_row: number;
  readonly retries_total: number;
  /** Metered for reports, capped by nobody. */
  readonly gpu_ms: number;
  readonly human_reviews: number;
}
