/** Proves the arithmetic of the cost of a run. The terms of a real run are proved in `test/runs/records/cost.test.ts`. */
import { expect, test } from 'vitest';
import { deepFreeze } from '../json/freeze.ts';
import { parse } from '../json/parse.ts';
import { type MeteredAmounts, scalarCost, UnitPrices } from './run-cost.ts';

const PRICES: UnitPrices = deepFreeze({
  input_token: 0.0000025,
  output_token: 0.00001,
  tool_call: 0.001,
  external_api_call: 0.02,
  gpu_second: 0.0007,
  review_unit: 1.5,
});

const AMOUNTS: MeteredAmounts = deepFreeze({
  input_token: 120_000,
  output_token: 3_001,
  tool_call: 7,
  external_api_call: 2,
  gpu_second: 12.5,
  review_unit: 3,
  metered_usd: 0.25,
});

test('sums six amounts times prices, to the microdollar', () => {
  const cost = scalarCost(AMOUNTS, PRICES);
  expect(cost.usd).toBe(0.3 + 0.03001 + 0.007 + 0.04 + 0.00875 + 4.5);
  expect(cost.terms.map(({ unit, usd }) => [unit, usd])).toEqual([
    ['input_token', 0.3],
    ['output_token', 0.03001],
    ['tool_call', 0.007],
    ['external_api_call', 0.04],
    ['gpu_second', 0.00875],
    ['review_unit', 4.5],
  ]);
});

test('takes the metered money in place of token terms without prices', () => {
  expect(scalarCost(AMOUNTS, {}).usd).toBe(0.25);
  expect(scalarCost(AMOUNTS, { review_unit: 1.5 }).usd).toBe(4.75);
});

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('refuses %s as a price', (price) => {
  expect(() => parse(UnitPrices, { gpu_second: price }, 'budget_invalid')).toThrow(
    expect.objectContaining({ name: 'Fault', path: '/gpu_second' }),
  );
});
