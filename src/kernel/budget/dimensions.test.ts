/** Proves that the arithmetic written out field by field covers every dimension of the table. */
import { describe, expect, test } from 'vitest';
import type { Budget, BudgetCaps } from '../../model/budget/budget.ts';
import {
  AMOUNT_ROWS,
  BUDGET_DIMENSIONS,
  CAPPED_DIMENSIONS,
  COUNTER_ROWS,
  type CounterRow,
  DIMENSIONS,
} from '../../model/budget/dimensions.ts';
import { charge, openBudget, releaseReservation, reserve, settle } from './budget.ts';
import { addEstimate, atRisk, earlyStop, NO_ESTIMATE, subtractEstimate } from './estimate.ts';
import { laneNeed } from './lane-caps.ts';
import { budgetSnapshot, remaining, toWire } from './view.ts';

const CAPS = Object.fromEntries(CAPPED_DIMENSIONS.map((dimension) => [`${dimension}_max`, 9])) as unknown as BudgetCaps;
const BUDGET: Budget = openBudget(CAPS);

const withoutAny = ({ dimension }: CounterRow): Budget => openBudget({ ...CAPS, [`${dimension}_max`]: 0 });

test('the table lists every dimension once', () => {
  expect(Object.keys(DIMENSIONS).sort()).toEqual([...CAPPED_DIMENSIONS].sort());
  expect(AMOUNT_ROWS).toHaveLength(new Set(AMOUNT_ROWS.map(({ amount }) => amount)).size);
});

describe.each(COUNTER_ROWS)('counter of $dimension', (row) => {
  const { dimension, counter, scale } = row;
  const one = { [counter]: scale };

  test('refuses amounts above the cap, for the run and for a role', () => {
    expect(reserve(withoutAny(row), one)).toMatchObject({ ok: false, dimension, needed: 1, left: 0 });
    expect(charge(withoutAny(row), one)).toMatchObject({ ok: false, dimension, needed: 1, left: 0 });
    const roles = { planner: { [`${dimension}_max`]: 0 } };
    expect(reserve(openBudget({ ...CAPS, roles }), one, 'planner')).toMatchObject({ dimension, role: 'planner' });
  });

  test('refuses an amount that is not an integer', () => {
    expect(() => reserve(BUDGET, { [counter]: 0.5 })).toThrow(expect.objectContaining({ code: 'budget_invalid' }));
    expect(() => settle(BUDGET, {}, { [counter]: -1 })).toThrow(expect.objectContaining({ code: 'budget_invalid' }));
  });

  test('is reserved, released, charged, and named in an overrun', () => {
    const reserved = reserve(BUDGET, one);
    if (!reserved.ok) throw new Error(`refused: ${reserved.dimension}`);
    expect(reserved.budget.reserved[counter]).toBe(scale);
    expect(remaining(reserved.budget)[counter]).toBe(8 * scale);
    expect(budgetSnapshot(reserved.budget, 0)).toMatchObject({ [`${dimension}_reserved`]: 1 });
    expect(releaseReservation(reserved.budget, one)).toEqual(BUDGET);
    expect(() => releaseReservation(BUDGET, one)).toThrow(expect.objectContaining({ path: `/${counter}` }));
    const settled = settle(reserved.budget, one, { [counter]: 10 * scale });
    expect(settled).toMatchObject({ overrun: dimension, budget: { used: { [counter]: 10 * scale } } });
    expect(budgetSnapshot(settled.budget, 0)).toMatchObject({ [`${dimension}_used`]: 10 });
    expect(toWire(settled.budget, 0)).toMatchObject({ used: { [dimension]: 10 }, remaining: { [dimension]: -1 } });
  });

  test('is reserved in full for a lane', () => {
    const itself = DIMENSIONS[dimension].lane === 'cap_and_itself' ? 1 : 0;
    expect(laneNeed(CAPS)[counter]).toBe(9 * scale + itself);
  });
});

describe.each(AMOUNT_ROWS)('estimate of $dimension', ({ dimension, amount, scale, role }) => {
  const left = remaining(BUDGET);
  const above = { ...NO_ESTIMATE.lower, [amount]: 10 * scale };
  const estimate = { lower: above, upper: above };

  test('stops a run that cannot finish', () => {
    expect(earlyStop(left, estimate)).toEqual({ dimension, needed: 10, left: 9 });
  });

  test('warns if the run may not finish, except for consecutive counts', () => {
    expect(atRisk(left, estimate)?.dimension).toBe(role === 'consecutive' ? undefined : dimension);
  });

  test('is added and subtracted', () => {
    expect(addEstimate(NO_ESTIMATE, estimate)).toEqual(estimate);
    expect(subtractEstimate(estimate, estimate)).toEqual(NO_ESTIMATE);
  });
});

test('the wire form lists every dimension with a cap', () => {
  expect(Object.keys(toWire(BUDGET, 0).used).sort()).toEqual([...CAPPED_DIMENSIONS].sort());
  const { tool_spend_usd_max: _, ...withoutToolCap } = CAPS;
  expect(Object.keys(toWire(openBudget(withoutToolCap), 0).used).sort()).toEqual([...BUDGET_DIMENSIONS].sort());
});
