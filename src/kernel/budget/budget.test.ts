/** Proves the life of a reservation: refused or made, settled or released, charged to the run and to a role. */
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/requirements/verifies.ts';
import type { Budget, BudgetCaps, BudgetRole, Need } from '../../model/budget/budget.ts';
import { PROFILE_CAPS } from '../../model/budget/budget-profile.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { charge, openBudget, releaseReservation, reserve, settle } from './budget.ts';
import { remaining } from './view.ts';

const open = (caps: Partial<BudgetCaps> = {}): Budget => deepFreeze(openBudget({ ...PROFILE_CAPS.research, ...caps }));

function reserved(budget: Budget, need: Need, role?: BudgetRole): Budget {
  const answer = reserve(budget, need, role);
  if (!answer.ok) throw new Error(`refused: ${answer.dimension}`);
  return deepFreeze(answer.budget);
}

function charged(budget: Budget, need: Need): Budget {
  const answer = charge(budget, need);
  if (!answer.ok) throw new Error(`refused: ${answer.dimension}`);
  return deepFreeze(answer.budget);
}

describe('reservations', () => {
  test('settling replaces the reservation by the actual use', () => {
    const before = reserved(open(), { tool_calls: 1, output_tokens: 500 });
    expect(before.reserved).toMatchObject({ tool_calls: 1, output_tokens: 500 });
    expect(before.used).toMatchObject({ tool_calls: 0, output_tokens: 0 });
    const { budget, overrun } = settle(
      before,
      { tool_calls: 1, output_tokens: 500 },
      { tool_calls: 1, output_tokens: 80 },
    );
    expect(overrun).toBeNull();
    expect(budget.reserved).toEqual(open().reserved);
    expect(budget.used).toMatchObject({ tool_calls: 1, output_tokens: 80 });
  });

  test('an unsettled reservation stays charged', () => {
    const waiting = reserved(open({ tool_calls_max: 2 }), { tool_calls: 2 });
    expect(remaining(waiting).tool_calls).toBe(0);
    expect(reserve(waiting, { tool_calls: 1 })).toMatchObject({ ok: false, dimension: 'tool_calls', left: 0 });
  });

  test('releasing restores the budget', () => {
    const before = charged(open(), { steps: 3 });
    expect(releaseReservation(reserved(before, { tool_calls: 4 }), { tool_calls: 4 })).toEqual(before);
  });

  test('one short dimension refuses the whole need and is named', () => {
    const budget = open({ external_api_calls_max: 1 });
    expect(reserve(budget, { tool_calls: 1, external_api_calls: 2 })).toEqual({
      ok: false,
      code: 'budget_exhausted',
      dimension: 'external_api_calls',
      needed: 2,
      left: 1,
    });
  });

  test('grants exactly the remainder and refuses one more', () => {
    const budget = charged(open(), { input_tokens: 199_000 });
    expect(reserve(budget, { input_tokens: 1_000 }).ok).toBe(true);
    expect(reserve(budget, { input_tokens: 1_001 })).toMatchObject({ dimension: 'input_tokens', left: 1_000 });
  });

  test('counts money in microdollars and reports it in dollars', () => {
    const budget = charged(open(), { cost_microusd: 1_999_999 });
    expect(reserve(budget, { cost_microusd: 1 }).ok).toBe(true);
    expect(reserve(budget, { cost_microusd: 2 })).toMatchObject({
      dimension: 'inference_cost_usd',
      needed: 0.000002,
      left: 0.000001,
    });
  });

  test('refuses to settle or release more than was reserved', () => {
    const budget = reserved(open(), { tool_calls: 1 });
    expect(() => releaseReservation(budget, { tool_calls: 2 })).toThrow(
      expect.objectContaining({ code: 'budget_invalid' }),
    );
    expect(() => settle(budget, { steps: 1 }, {})).toThrow(expect.objectContaining({ path: '/steps' }));
  });
});

describe('a provider that uses more than was reserved', () => {
  const before = reserved(charged(open(), { output_tokens: 29_000 }), { output_tokens: 500 });

  test('is charged in full, and the exceeded cap is reported', () => {
    const { budget, overrun } = settle(before, { output_tokens: 500 }, { output_tokens: 1_500 });
    expect(overrun).toBe('output_tokens');
    expect(budget.used.output_tokens).toBe(30_500);
    expect(reserve(budget, { output_tokens: 1 })).toMatchObject({ ok: false, left: -500 });
    expect(reserve(budget, { tool_calls: 1 }).ok).toBe(true);
  });

  test('exceeds no cap while the run has enough left', () => {
    expect(settle(before, { output_tokens: 500 }, { output_tokens: 1_000 }).overrun).toBeNull();
  });

  test('exceeds the cap if it uses what is reserved for another call', () => {
    const two = reserved(before, { output_tokens: 500 });
    expect(settle(two, { output_tokens: 500 }, { output_tokens: 501 }).overrun).toBe('output_tokens');
  });
});

describe('a cap of zero', () => {
  const budget = open({ side_effects_max: 0, memory_writes_max: 0 });

  test('refuses that action and no other', () => {
    expect(reserve(budget, { tool_calls: 1, side_effects: 1 })).toMatchObject({ dimension: 'side_effects', left: 0 });
    expect(reserve(budget, { tool_calls: 1, side_effects: 0 }).ok).toBe(true);
  });
});

describe('remaining', () => {
  verifies('budget:remaining:per-dimension-subtraction', 'is computed per dimension', () => {
    const budget = charged(open({ tool_calls_max: 30 }), { tool_calls: 12, cost_microusd: 500_000 });
    expect(remaining(budget)).toMatchObject({ tool_calls: 18, cost_microusd: 1_500_000 });
    const spent = charged(budget, { tool_calls: 18 });
    expect(charge(spent, { tool_calls: 1 })).toMatchObject({ ok: false, dimension: 'tool_calls' });
    expect(remaining(spent).cost_microusd).toBe(1_500_000);
  });
});

describe('hard caps', () => {
  verifies('budget:accumulators:atomic', 'a cap of 50 accepts 50 of 100 charges', () => {
    let budget = open({ tool_calls_max: 50 });
    const answers = Array.from({ length: 100 }, () => {
      const answer = charge(budget, { tool_calls: 1 });
      if (answer.ok) budget = deepFreeze(answer.budget);
      return answer;
    });
    expect(answers.filter(({ ok }) => ok)).toHaveLength(50);
    expect(budget.used.tool_calls).toBe(50);
    for (const refused of answers.slice(50)) expect(refused).toMatchObject({ ok: false, code: 'budget_exhausted' });
  });
});

describe('tool spend', () => {
  test('is limited by its own cap if there is one', () => {
    const budget = charged(open({ tool_spend_usd_max: 0.5 }), { tool_spend_microusd: 400_000 });
    expect(remaining(budget)).toMatchObject({ tool_spend_microusd: 100_000, cost_microusd: 2_000_000 });
    expect(reserve(budget, { tool_calls: 1, tool_spend_microusd: 100_001 })).toMatchObject({
      dimension: 'tool_spend_usd',
      left: 0.1,
    });
  });

  test('counts against the inference cost if it has no cap of its own', () => {
    const need = { tool_spend_microusd: 1_500_000, cost_microusd: 100_000 };
    const before = reserved(open(), need);
    expect(before.reserved).toMatchObject({ cost_microusd: 1_600_000, tool_spend_microusd: 0 });
    expect(reserve(before, { tool_spend_microusd: 400_001 })).toMatchObject({ dimension: 'inference_cost_usd' });
    expect(releaseReservation(before, need)).toEqual(open());
    expect(settle(before, need, { tool_spend_microusd: 7 }).budget.used.cost_microusd).toBe(7);
  });
});

describe('roles', () => {
  const budget = open({ roles: { planner: { output_tokens_max: 100 } } });

  test('an exhausted allotment refuses that role by name and no other', () => {
    const planned = reserved(budget, { output_tokens: 100 }, 'planner');
    expect(reserve(planned, { output_tokens: 1 }, 'planner')).toEqual({
      ok: false,
      code: 'budget_exhausted',
      dimension: 'output_tokens',
      needed: 1,
      left: 0,
      role: 'planner',
    });
    expect(reserve(planned, { output_tokens: 1 }, 'executor').ok).toBe(true);
    expect(planned.roles.executor).toEqual(budget.roles.executor);
  });

  test("a role spends the run's budget too, and the run's refusal names no role", () => {
    const planned = settle(
      reserved(budget, { output_tokens: 90 }, 'planner'),
      { output_tokens: 90 },
      { output_tokens: 40 },
      'planner',
    );
    expect(planned.budget.used.output_tokens).toBe(40);
    expect(planned.budget.roles.planner.used.output_tokens).toBe(40);
    const refused = reserve(open({ output_tokens_max: 50 }), { output_tokens: 60 }, 'planner');
    expect(refused).not.toHaveProperty('role');
  });

  test('a role without an allotment is still metered', () => {
    const criticised = reserved(budget, { input_tokens: 7 }, 'critic');
    expect(releaseReservation(criticised, { input_tokens: 7 }, 'critic')).toEqual(budget);
    expect(criticised.roles.critic.reserved.input_tokens).toBe(7);
  });
});

describe('invalid amounts', () => {
  const budget = reserved(open(), { tool_calls: 5, cost_microusd: 5 });
  const bad: readonly number[] = [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 60];

  test.each(bad)('%s is rejected by every operation', (amount) => {
    const fault = expect.objectContaining({ name: 'Fault', code: 'budget_invalid' });
    for (const need of [{ tool_calls: amount }, { cost_microusd: amount }, { tool_spend_microusd: amount }]) {
      expect(() => reserve(budget, need)).toThrow(fault);
      expect(() => charge(budget, need)).toThrow(fault);
      expect(() => releaseReservation(budget, need)).toThrow(fault);
      expect(() => settle(budget, need, {})).toThrow(fault);
      expect(() => settle(budget, {}, need)).toThrow(fault);
    }
  });

  test('are found in both terms of the sum of inference cost and tool spend', () => {
    expect(() => reserve(budget, { cost_microusd: 10, tool_spend_microusd: -5 })).toThrow(
      expect.objectContaining({ path: '/tool_spend_microusd' }),
    );
    expect(() => reserve(budget, { cost_microusd: 0.5, tool_spend_microusd: 1 })).toThrow(
      expect.objectContaining({ path: '/cost_microusd' }),
    );
  });
});
