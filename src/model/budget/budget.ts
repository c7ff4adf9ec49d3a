import { z } from 'zod';
import { Fault } from '../fault/fault.ts';
import { exactObject } from '../json/exact.ts';
import { Text } from '../json/name.ts';
import { parse, parseAt } from '../json/parse.ts';
import { type AmountOf, type CountedDimension, MICROUSD_PER_USD, type RequiredDimension } from './dimensions.ts';

/** The roles of the triad. Each may have its own allotment inside the run's budget. */
export const BUDGET_ROLES = ['planner', 'executor', 'critic'] as const;
export type BudgetRole = (typeof BUDGET_ROLES)[number];

/** Caps of the counted dimensions. */
export type Allotment = { readonly [D in CountedDimension as `${D}_max`]?: number };

type RequiredCaps = { readonly [D in RequiredDimension as `${D}_max`]: number };

/** The spending limits of a run, as configured. A cap of zero denies the action and does not stop the run. */
export interface BudgetCaps extends RequiredCaps {
  readonly tool_spend_usd_max?: number;
  /** The reason why this workflow may re-plan more than twice. */
  readonly replan_rationale?: string;
  readonly roles?: Readonly<Partial<Record<BudgetRole, Allotment>>>;
}

/** A maximum that no run reaches, small enough that sums of a few amounts stay exact integers. */
export const AMOUNT_MAX: number = 1e15;

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
} satisfies Readonly<Record<keyof Allotment, z.ZodType>>;
export const Allotment: z.ZodType<Allotment> = exactObject(counted);

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

export const BudgetCaps: z.ZodType<BudgetCaps> = exactObject({
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

/** Some of the caps: the overrides of a configuration, or the quota of a tenant. */
export type PartialCaps = Partial<BudgetCaps>;
export const PartialCaps: z.ZodType<PartialCaps> = exactObject({
  ...counted,
  wall_clock_seconds_max: Seconds.exactOptional(),
  retry_count_max: Count.exactOptional(),
  context_tokens_max: Count.exactOptional(),
  ...explained,
} satisfies Readonly<Record<keyof PartialCaps, z.ZodType>>);

/** More re-plans than this need a written rationale. */
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
 * Parses a budget and reports every failure as `budget_invalid` with its place in the configuration, even a NaN or
 * Infinity, which already fails as JSON.
 */
export function parseBudget<T>(schema: z.ZodType<T>, value: unknown, place = ''): T {
  try {
    return place === '' ? parse(schema, value, 'budget_invalid') : parseAt(place, schema, value, 'budget_invalid');
  } catch (error) {
    if (!Fault.is(error) || error.code === 'budget_invalid') throw error;
    const message = place === '' ? error.message : `${place.slice(1)}: ${error.message}`;
    throw new Fault('budget_invalid', message, { path: error.path ?? place, cause: error });
  }
}

/** Counted amounts: integers only, money in millionths of a dollar, so that sums stay exact. */
export type BudgetCounters = { readonly [D in CountedDimension as AmountOf<D>]: number };
export type BudgetCounter = keyof BudgetCounters;

/** The amounts that an action will use or has used. An absent counter is zero. */
export type Need = Partial<BudgetCounters>;

/** The spent amounts, and the amounts reserved for calls without an answer yet. */
export interface Tally {
  readonly used: BudgetCounters;
  readonly reserved: BudgetCounters;
}

/** A run's budget: the effective caps and the accumulators. Plain data; one value is one consistent snapshot. */
export interface Budget extends Tally {
  readonly caps: BudgetCaps;
  readonly roles: Readonly<Record<BudgetRole, Tally>>;
  /** The current size of the active context. */
  readonly context_tokens: number;
  readonly retries_in_a_row: number;
  readonly retries_total: number;
}
