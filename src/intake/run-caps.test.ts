/** A run's caps are complete and never above the tenant quota or the boundary. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { agent, agentWith, SUPPORT_CAPS } from '../../test/intake/cases.ts';
import type { BudgetCaps, PartialCaps } from '../model/budget/budget.ts';
import { PROFILE_CAPS } from '../model/budget/budget-profile.ts';
import { BUDGET_DIMENSIONS } from '../model/budget/dimensions.ts';
import type { AgentSpec } from '../model/run/agent.ts';
import { runBudget } from './init-run.ts';

const runCaps = (...given: Parameters<typeof runBudget>): BudgetCaps => runBudget(...given).caps;

const bounded = (resource_budgets: PartialCaps, budget: AgentSpec['budget'] = { profile: 'research', overrides: {} }) =>
  agentWith({ boundary: { ...agent.boundary, resource_budgets }, budget });

test("uses the profile with the agent's overrides if there is no ceiling", () => {
  expect(runCaps(bounded({}), {})).toEqual(PROFILE_CAPS.research);
  const changed = bounded({}, { profile: 'research', overrides: { tool_calls_max: 7 } });
  expect(runCaps(changed, {})).toEqual({ ...PROFILE_CAPS.research, tool_calls_max: 7 });
});

describe('uses the lowest number', () => {
  test('if it is the tenant quota', () => {
    expect(runCaps(bounded({}), { tool_calls_max: 3 })).toEqual({ ...PROFILE_CAPS.research, tool_calls_max: 3 });
  });

  test('if it is the boundary', () => {
    expect(runCaps(bounded({ steps_max: 4 }), { steps_max: 9 }).steps_max).toBe(4);
    expect(runCaps(bounded({ steps_max: 9 }), { steps_max: 4 }).steps_max).toBe(4);
  });

  test("if it is the agent's own cap", () => {
    expect(runCaps(bounded({ steps_max: 100 }), { steps_max: 100 }).steps_max).toBe(PROFILE_CAPS.research.steps_max);
  });

  test('for tool spending, even if the agent states no cap', () => {
    expect(runCaps(bounded({ tool_spend_usd_max: 2 }), { tool_spend_usd_max: 1 }).tool_spend_usd_max).toBe(1);
  });

  test('for each role', () => {
    const overrides = { roles: { planner: { input_tokens_max: 900, output_tokens_max: 50 } } };
    const ceiling = { roles: { planner: { input_tokens_max: 500 }, critic: { steps_max: 2 } } };
    const expected = { planner: { input_tokens_max: 500, output_tokens_max: 50 }, critic: { steps_max: 2 } };
    expect(runCaps(bounded(ceiling, { profile: 'research', overrides }), {}).roles).toEqual(expected);
    expect(runCaps(bounded({}, { profile: 'research', overrides }), ceiling).roles).toEqual(expected);
  });
});

describe('refuses', () => {
  test.each(['customer_support', 'procurement', 'gardening'])('the profile %s if a cap is missing', (profile) => {
    for (const cap of Object.keys(SUPPORT_CAPS)) {
      const overrides = Object.fromEntries(Object.entries(SUPPORT_CAPS).filter(([name]) => name !== cap));
      expect(() => runCaps(bounded({}, { profile, overrides }), {})).toThrow(
        expect.objectContaining({ code: 'budget_invalid', path: `/${cap}` }),
      );
    }
    expect(runCaps(bounded({}, { profile, overrides: SUPPORT_CAPS }), {})).toMatchObject(SUPPORT_CAPS);
  });

  test.each([-1, Number.NaN, Infinity, 2 ** 60, '5'])('a quota of %s', (steps_max) => {
    expect(() => runCaps(bounded({ steps_max: 1 }), { steps_max } as PartialCaps)).toThrow(
      expect.objectContaining({ code: 'budget_invalid', path: '/steps_max' }),
    );
  });
});

const Caps = fc.record(
  Object.fromEntries(BUDGET_DIMENSIONS.map((dimension) => [`${dimension}_max`, fc.nat({ max: 1_000_000 })])),
  { requiredKeys: [] },
);

test.prop([Caps, Caps])('returns every cap, none above either ceiling', (quota, boundary) => {
  const caps = runCaps(bounded(boundary), quota);
  for (const dimension of BUDGET_DIMENSIONS) {
    const cap = caps[`${dimension}_max`];
    expect(cap).toBe(
      Math.min(
        PROFILE_CAPS.research[`${dimension}_max`],
        quota[`${dimension}_max`] ?? Infinity,
        boundary[`${dimension}_max`] ?? Infinity,
      ),
    );
  }
});
