import { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import { MICROUSD_PER_USD } from './dimensions.ts';

/** The priced units of a run, in the order of the terms of its cost. */
export const PRICED_UNITS = [
  'input_token',
  'output_token',
  'tool_call',
  'external_api_call',
  'gpu_second',
  'review_unit',
] as const;
export type PricedUnit = (typeof PRICED_UNITS)[number];

/** Prices per unit, in dollars. A unit without a price costs nothing. */
export type UnitPrices = { readonly [U in PricedUnit]?: number };

const Price: z.ZodType<number> = z.number().nonnegative();
export const UnitPrices: z.ZodType<UnitPrices> = exactObject({
  input_token: Price.exactOptional(),
  output_token: Price.exactOptional(),
  tool_call: Price.exactOptional(),
  external_api_call: Price.exactOptional(),
  gpu_second: Price.exactOptional(),
  review_unit: Price.exactOptional(),
});

/** Amounts that are metered for the cost of a run. They have no cap. */
export interface Meters {
  /** GPU time that tools reported. */
  readonly gpuMs: number;
  /** People's decisions: at gates, on escalations and on budgets. */
  readonly humanReviews: number;
}

/** One term: an amount and its price. `metered_usd` is the money that models and tools reported, at price 1. */
export interface CostTerm {
  readonly unit: PricedUnit | 'metered_usd';
  readonly amount: number;
  readonly price_usd: number;
  readonly usd: number;
}

/** The cost of a run, as the sum of its terms. It is for reports and bills; no decision about an action reads it. */
export interface RunCost {
  readonly usd: number;
  readonly terms: readonly CostTerm[];
}
export const RunCost: z.ZodType<RunCost> = exactObject({
  usd: z.number().nonnegative(),
  terms: z.array(
    z.strictObject({
      unit: z.enum([...PRICED_UNITS, 'metered_usd']),
      amount: z.number().nonnegative(),
      price_usd: z.number().nonnegative(),
      usd: z.number().nonnegative(),
    }),
  ),
});

/** The metered amounts of a run: its units, and the money that models and tools reported. */
export type MeteredAmounts = { readonly [U in PricedUnit | 'metered_usd']: number };

/**
 * Prices the metered amounts of a run, rounded to a microdollar. Without prices of tokens, the metered money takes the
 * place of both token terms, because each model has prices of its own.
 */
export function scalarCost(amounts: MeteredAmounts, prices: UnitPrices): RunCost {
  const hasTokenPrices = prices.input_token !== undefined || prices.output_token !== undefined;
  const terms = PRICED_UNITS.map((unit) => term(unit, amounts[unit], prices[unit] ?? 0));
  const priced = hasTokenPrices ? terms : [...terms, term('metered_usd', amounts.metered_usd, 1)];
  return { usd: round(priced.reduce((sum, { amount, price_usd }) => sum + amount * price_usd, 0)), terms: priced };
}

const term = (unit: CostTerm['unit'], amount: number, price_usd: number): CostTerm => ({
  unit,
  amount,
  price_usd,
  usd: round(amount * price_usd),
});

const round = (usd: number): number => Math.round(usd * MICROUSD_PER_USD) / MICROUSD_PER_USD;
