/** Proves the views of a budget: by dimension in records, flat in a checkpoint. */
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/requirements/verifies.ts';
import { type Budget, type BudgetCaps, type Need, parseCaps } from '../../model/budget/budget.ts';
import { PROFILE_CAPS } from '../../model/budget/budget-profile.ts';
import { BUDGET_DIMENSIONS } from '../../model/budget/dimensions.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { charge, openBudget, reserve, settle } from './budget.ts';
import { setContext } from './gauges.ts';
import { budgetSnapshot, toWire } from './view.ts';

const open = (caps: Partial<BudgetCaps> = {}): Budget => deepFreeze(openBudget({ ...PROFILE_CAPS.research, ...caps }));

function charged(budget: Budget, need: Need): Budget {
  const answer = charge(budget, need);
  if (!answer.ok) throw new Error(`refused: ${answer.dimension}`);
  return deepFreeze(answer.budget);
}

describe('toWire', () => {
  verifies('budget:vector:eleven-plus-steps', 'lists the same dimensions as used and as remaining', () => {
    const { used, remaining, caps } = toWire(charged(open(), { tool_calls: 3, cost_microusd: 250_000 }), 60_500);
    expect(new Set(Object.keys(used))).toEqual(new Set(BUDGET_DIMENSIONS));
    expect(new Set(Object.keys(remaining))).toEqual(new Set(BUDGET_DIMENSIONS));
    expect(used).toMatchObject({ tool_calls: 3, inference_cost_usd: 0.25, wall_clock_seconds: 60.5 });
    expect(remaining).toMatchObject({ tool_calls: 27, inference_cost_usd: 1.75, wall_clock_seconds: 239.5 });
    for (const dimension of BUDGET_DIMENSIONS) {
      expect((used[dimension] ?? 0) + (remaining[dimension] ?? 0)).toBe(caps[`${dimension}_max`]);
      const { [`${dimension}_max` as const]: _, ...missing } = PROFILE_CAPS.research;
      for (const bad of [
        missing,
        { ...caps, [`${dimension}_max`]: -1 },
        { ...caps, [`${dimension}_max`]: Number.NaN },
      ]) {
        expect(() => parseCaps(bad)).toThrow(expect.objectContaining({ code: 'budget_invalid' }));
      }
    }
  });

  test('includes tool spend if it has a cap', () => {
    const wire = toWire(charged(open({ tool_spend_usd_max: 1 }), { tool_spend_microusd: 10_000 }), 0);
    expect(wire.used.tool_spend_usd).toBe(0.01);
    expect(wire.remaining.tool_spend_usd).toBe(0.99);
  });

  test('subtracts reservations from the remainder but does not count them as used', () => {
    const answer = reserve(open(), { steps: 5 });
    if (!answer.ok) throw new Error('refused');
    expect(toWire(answer.budget, 0)).toMatchObject({ used: { steps: 0 }, remaining: { steps: 10 } });
  });
});

describe('budgetSnapshot', () => {
  const spent = setContext(charged(open(), { tool_calls: 3, input_tokens: 70, cost_microusd: 1 }), 900);

  test('contains every accumulator under its name', () => {
    const snapshot = budgetSnapshot(spent, 1_500);
    expect(snapshot).toMatchObject({
      tool_calls_used: 3,
      input_tokens_used: 70,
      inference_cost_usd_used: 0.000001,
      wall_clock_seconds_used: 1.5,
      context_tokens_used: 900,
    });
    for (const dimension of BUDGET_DIMENSIONS) expect(snapshot).toHaveProperty(`${dimension}_used`);
  });

  test('lists reserved amounts only while there are some', () => {
    const waiting = reserve(spent, { steps: 2 });
    if (!waiting.ok) throw new Error('refused');
    expect(budgetSnapshot(waiting.budget, 0)).toEqual({ ...budgetSnapshot(spent, 0), steps_reserved: 2 });
    const settled = settle(waiting.budget, { steps: 2 }, {}).budget;
    expect(budgetSnapshot(settled, 0)).toEqual(budgetSnapshot(spent, 0));
    expect(budgetSnapshot(JSON.parse(JSON.stringify(settled)), 0)).toEqual(budgetSnapshot(spent, 0));
  });
});
