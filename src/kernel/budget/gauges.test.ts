/** Proves the measured dimensions: consecutive retries, context, and meters for reports. */
import { describe, expect, test } from 'vitest';
import type { Budget, BudgetCaps } from '../../model/budget/budget.ts';
import { PROFILE_CAPS } from '../../model/budget/budget-profile.ts';
import { DEFAULT_LIMITS, type KernelLimits } from '../../model/budget/kernel-limits.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { openBudget } from './budget.ts';
import { clearRetries, isUnderContextPressure, noteRetry, setContext } from './gauges.ts';
import { remaining } from './view.ts';

const open = (caps: Partial<BudgetCaps> = {}): Budget => deepFreeze(openBudget({ ...PROFILE_CAPS.research, ...caps }));

function retried(budget: Budget, times: number): Budget {
  let current = budget;
  for (let count = 0; count < times; count += 1) {
    const answer = noteRetry(current);
    if (!answer.ok) throw new Error('refused');
    current = deepFreeze(answer.budget);
  }
  return current;
}

describe('retries', () => {
  test('are refused at the cap of consecutive failures', () => {
    const three = retried(open(), 3);
    expect(noteRetry(three)).toEqual({
      ok: false,
      code: 'budget_exhausted',
      dimension: 'retry_count',
      needed: 1,
      left: 0,
    });
  });

  test('restart after a success, while the total continues', () => {
    const recovered = clearRetries(retried(open(), 2));
    expect(recovered).toMatchObject({ retries_in_a_row: 0, retries_total: 2 });
    const again = retried(recovered, 3);
    expect(again).toMatchObject({ retries_in_a_row: 3, retries_total: 5 });
    expect(noteRetry(again).ok).toBe(false);
  });

  test('clearing without retries returns the same budget', () => {
    const budget = open();
    expect(clearRetries(budget)).toBe(budget);
  });

  test('are refused with a cap of 0', () => {
    expect(noteRetry(open({ retry_count_max: 0 })).ok).toBe(false);
  });
});

describe('context', () => {
  test('can grow and shrink', () => {
    const full = setContext(open(), 90_000);
    expect(remaining(full).context_tokens).toBe(10_000);
    expect(remaining(setContext(full, 20_000)).context_tokens).toBe(80_000);
    expect(setContext(full, 90_000)).toBe(full);
  });

  const isPressed = (budget: Budget, limits: Partial<KernelLimits> = {}): boolean =>
    isUnderContextPressure(budget, { ...DEFAULT_LIMITS, ...limits });

  test('is under pressure strictly above 80 %', () => {
    expect(isPressed(setContext(open(), 80_000))).toBe(false);
    expect(isPressed(setContext(open(), 80_001))).toBe(true);
    expect(isPressed(setContext(open({ context_tokens_max: 1_000 }), 801))).toBe(true);
  });

  test('is under pressure earlier with a smaller model limit or another threshold', () => {
    const budget = setContext(open(), 40_000);
    expect(isPressed(budget, { contextLimit: 50_000 })).toBe(false);
    expect(isPressed(budget, { contextLimit: 49_999 })).toBe(true);
    expect(isPressed(budget, { compressAbove: 0.4 })).toBe(false);
    expect(isPressed(budget, { compressAbove: 0.39 })).toBe(true);
  });

  test('with a cap of 0 is under pressure at the first token', () => {
    const none = open({ context_tokens_max: 0 });
    expect(isPressed(none)).toBe(false);
    expect(isPressed(setContext(none, 1))).toBe(true);
  });
});

test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60])('refuses %s as a measurement', (bad) => {
  const fault = expect.objectContaining({ name: 'Fault', code: 'budget_invalid' });
  expect(() => setContext(open(), bad)).toThrow(fault);
});
