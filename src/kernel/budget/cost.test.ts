/** Proves the scalar cost of reports and its six terms. */
import { expect, test } from 'vitest';
import { verifies } from '../../../test/requirements/verifies.ts';
import { PROFILE_CAPS } from '../../model/budget/budget-profile.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { charge, openBudget } from './budget.ts';
import { scalarCost, type UnitPrices } from './cost.ts';
import { meter } from './gauges.ts';

const PRICES: UnitPrices = deepFreeze({
  input_token: 0.0000025,
  output_token: 0.00001,
  tool_call: 0.001,
  external_api_call: 0.02,
  gpu_second: 0.0007,
  review_unit: 1.5,
});

const used = charge(openBudget(PROFILE_CAPS.research), {
  input_tokens: 120_000,
  output_tokens: 3_001,
  tool_calls: 7,
  external_api_calls: 2,
});

verifies('budget:scalar:six-term-cost-formula', 'sums six amounts times prices, to the microdollar', () => {
  if (!used.ok) throw new Error('refused');
  const budget = meter(used.budget, 12_500, 3);
  expect(scalarCost(deepFreeze(budget), PRICES)).toBe(0.3 + 0.03001 + 0.007 + 0.04 + 0.00875 + 4.5);
  expect(scalarCost(budget, { ...PRICES, gpu_second: 0, review_unit: 0 })).toBe(0.37701);
  expect(PROFILE_CAPS.research).not.toHaveProperty('gpu_seconds_max');
});

test('a run without use costs 0', () => {
  expect(scalarCost(openBudget(PROFILE_CAPS.research), PRICES)).toBe(0);
});

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('refuses %s as a price', (price) => {
  expect(() => scalarCost(openBudget(PROFILE_CAPS.research), { ...PRICES, gpu_second: price })).toThrow(
    expect.objectContaining({ name: 'Fault', code: 'budget_invalid', path: '/gpu_second' }),
  );
});
