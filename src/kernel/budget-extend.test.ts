/** Proves that caps grow only by a recorded decision of a named person, and only by what was decided. */
import { describe, expect, test } from 'vitest';
import type { Budget, BudgetCaps } from '../model/budget.ts';
import { PROFILE_CAPS } from '../model/budget-profile.ts';
import { deepFreeze } from '../model/freeze.ts';
import { charge, openBudget, reserve } from './budget.ts';
import { extend } from './budget-extend.ts';
import { remaining } from './budget-view.ts';

const APPROVAL = deepFreeze({ by: 'ops@example.com', reason: 'the supplier was slow' });
const open = (caps: Partial<BudgetCaps> = {}): Budget => deepFreeze(openBudget({ ...PROFILE_CAPS.research, ...caps }));

describe('an extension', () => {
  test('gives an exhausted run exactly as much more as was granted', () => {
    const spent = charge(open({ tool_calls_max: 2 }), { tool_calls: 2 });
    if (!spent.ok) throw new Error('refused');
    const extended = extend(deepFreeze(spent.budget), { tool_calls: 5 }, APPROVAL);
    expect(remaining(extended).tool_calls).toBe(5);
    expect(extended.used).toEqual(spent.budget.used);
    expect(extended.caps).toEqual({ ...spent.budget.caps, tool_calls_max: 7 });
  });

  test('of what is no dimension is refused, and says which there are', () => {
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

  test('of ten cents, ten times, is one dollar', () => {
    const ten = Array.from({ length: 10 }).reduce<Budget>(
      (budget) => extend(budget, { inference_cost_usd: 0.1 }, APPROVAL),
      open(),
    );
    expect(ten.caps.inference_cost_usd_max).toBe(3);
  });

  test('lifts a cap of zero, which no approval of an action does', () => {
    const budget = open({ side_effects_max: 0 });
    expect(reserve(budget, { side_effects: 1 }).ok).toBe(false);
    expect(reserve(extend(budget, { side_effects: 1 }, APPROVAL), { side_effects: 1 }).ok).toBe(true);
  });

  test('of the re-plans beyond two keeps its reason as the rationale', () => {
    expect(extend(open(), { replan_attempts: 1 }, APPROVAL).caps).toMatchObject({
      replan_attempts_max: 3,
      replan_rationale: APPROVAL.reason,
    });
    const explained = open({ replan_attempts_max: 3, replan_rationale: 'as designed' });
    expect(extend(explained, { replan_attempts: 1 }, APPROVAL).caps.replan_rationale).toBe('as designed');
  });

  test('reaches the role that ran out', () => {
    const budget = open({ roles: { planner: { output_tokens_max: 10 }, critic: { input_tokens_max: 5 } } });
    const { roles } = extend(budget, { output_tokens: 90 }, APPROVAL).caps;
    expect(roles).toEqual({ planner: { output_tokens_max: 100 }, critic: { input_tokens_max: 5 } });
  });
});

describe('an extension is refused', () => {
  test('without a person', () => {
    expect(() => extend(open(), { steps: 1 }, { by: ' ', reason: 'x' })).toThrow(
      expect.objectContaining({ code: 'approver_missing' }),
    );
  });

  test('without a reason', () => {
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
  ])('%s', (_, delta) => {
    const budget = open();
    expect(() => extend(budget, delta, APPROVAL)).toThrow(
      expect.objectContaining({ name: 'Fault', code: 'budget_invalid' }),
    );
  });
});
