/** Proves that only a recorded decision of a named person raises caps, and only by the granted amount. */
import { describe, expect, test } from 'vitest';
import type { Budget, BudgetCaps } from '../../model/budget/budget.ts';
import { PROFILE_CAPS } from '../../model/budget/budget-profile.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { charge, extend, openBudget, reserve } from './budget.ts';
import { remaining } from './view.ts';

const APPROVAL = deepFreeze({ by: 'ops@example.com', reason: 'the supplier was slow' });
const open = (caps: Partial<BudgetCaps> = {}): Budget => deepFreeze(openBudget({ ...PROFILE_CAPS.research, ...caps }));

describe('extend', () => {
  test('gives an exhausted run exactly the granted amount', () => {
    const spent = charge(open({ tool_calls_max: 2 }), { tool_calls: 2 });
    if (!spent.ok) throw new Error('refused');
    const extended = extend(deepFreeze(spent.budget), { tool_calls: 5 }, APPROVAL);
    expect(remaining(extended).tool_calls).toBe(5);
    expect(extended.used).toEqual(spent.budget.used);
    expect(extended.caps).toEqual({ ...spent.budget.caps, tool_calls_max: 7 });
  });

  test('refuses an unknown dimension and lists the known ones', () => {
    expect(() => extend(open(), { steps_max: 1 }, APPROVAL)).toThrow(/"steps_max" is not .* those are .*\bsteps\b/);
  });

  test('raises several dimensions at once, each in its own unit', () => {
    const { caps } = extend(open(), { wall_clock_seconds: 60, inference_cost_usd: 0.1, context_tokens: 1 }, APPROVAL);
    expect(caps).toMatchObject({
      wall_clock_seconds_max: 360,
      inference_cost_usd_max: 2.1,
      context_tokens_max: 100_001,
    });
  });

  test('ten extensions by ten cents add up to one dollar', () => {
    const ten = Array.from({ length: 10 }).reduce<Budget>(
      (budget) => extend(budget, { inference_cost_usd: 0.1 }, APPROVAL),
      open(),
    );
    expect(ten.caps.inference_cost_usd_max).toBe(3);
  });

  test('raises a cap of 0', () => {
    const budget = open({ side_effects_max: 0 });
    expect(reserve(budget, { side_effects: 1 }).ok).toBe(false);
    expect(reserve(extend(budget, { side_effects: 1 }, APPROVAL), { side_effects: 1 }).ok).toBe(true);
  });

  test('uses the reason as rationale for more than two re-plans', () => {
    expect(extend(open(), { replan_attempts: 1 }, APPROVAL).caps).toMatchObject({
      replan_attempts_max: 3,
      replan_rationale: APPROVAL.reason,
    });
    const explained = open({ replan_attempts_max: 3, replan_rationale: 'as designed' });
    expect(extend(explained, { replan_attempts: 1 }, APPROVAL).caps.replan_rationale).toBe('as designed');
  });

  test('also raises the cap of the exhausted role', () => {
    const budget = open({ roles: { planner: { output_tokens_max: 10 }, critic: { input_tokens_max: 5 } } });
    const { roles } = extend(budget, { output_tokens: 90 }, APPROVAL).caps;
    expect(roles).toEqual({ planner: { output_tokens_max: 100 }, critic: { input_tokens_max: 5 } });
  });
});

describe('extend refuses', () => {
  test('a missing approver', () => {
    expect(() => extend(open(), { steps: 1 }, { by: ' ', reason: 'x' })).toThrow(
      expect.objectContaining({ code: 'approver_missing' }),
    );
  });

  test('a missing reason', () => {
    expect(() => extend(open(), { steps: 1 }, { by: 'ops', reason: '' })).toThrow(
      expect.objectContaining({ code: 'budget_invalid', path: '/reason' }),
    );
  });

  test.each([
    ['of nothing', {}],
    ['by zero', { steps: 0 }],
    ['downwards', { steps: -5 }],
    ['by half a step', { steps: 0.5 }],
    ['by NaN', { steps: Number.NaN }],
    ['without end', { steps: Number.POSITIVE_INFINITY }],
    ['beyond counting', { steps: 2 ** 60 }],
    ['of an unknown dimension', { stepz: 1 }],
    ['of a prototype', JSON.parse('{"__proto__": 1}')],
    ['of a method', { constructor: 1 }],
    ['of a cap that does not exist', { tool_spend_usd: 1 }],
  ])('an extension %s', (_, delta) => {
    const budget = open();
    expect(() => extend(budget, delta, APPROVAL)).toThrow(
      expect.objectContaining({ name: 'Fault', code: 'budget_invalid' }),
    );
  });
});
