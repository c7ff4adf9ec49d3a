/** Accepted and refused caps, with the path of the wrong one. */
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/requirements/verifies.ts';
import { Fault } from '../fault/fault.ts';
import { deepFreeze } from '../json/freeze.ts';
import { type BudgetCaps, parseCaps } from './budget.ts';
import { PROFILE_CAPS } from './budget-profile.ts';
import { BUDGET_DIMENSIONS } from './dimensions.ts';

const caps: BudgetCaps = PROFILE_CAPS.research;

function refusal(value: unknown): { code: string; path: string | undefined } {
  try {
    parseCaps(value);
  } catch (error) {
    if (Fault.is(error)) return { code: error.code, path: error.path };
    throw error;
  }
  throw new Error('the caps were accepted');
}

describe('a vector of caps', () => {
  test('has eleven dimensions from the specification and three for the loop', () => {
    expect(BUDGET_DIMENSIONS).toEqual([
      'input_tokens',
      'output_tokens',
      'tool_calls',
      'external_api_calls',
      'wall_clock_seconds',
      'inference_cost_usd',
      'retry_count',
      'reflection_passes',
      'context_tokens',
      'memory_writes',
      'side_effects',
      'steps',
      'replan_attempts',
      'lanes',
    ]);
  });

  test('is accepted unchanged if it is complete', () => {
    expect(parseCaps(deepFreeze({ ...caps, tool_spend_usd_max: 0.25 }))).toEqual({ ...caps, tool_spend_usd_max: 0.25 });
  });

  test.each(BUDGET_DIMENSIONS)('is refused without %s', (dimension) => {
    const { [`${dimension}_max` as const]: _, ...rest } = caps;
    expect(refusal(rest)).toEqual({ code: 'budget_invalid', path: `/${dimension}_max` });
  });

  test.each(
    BUDGET_DIMENSIONS.flatMap((dimension) =>
      [-1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60, Number.MAX_SAFE_INTEGER, '5', null, [], {}].map(
        (bad) => [dimension, bad] as const,
      ),
    ),
  )('is refused with %s of %s', (dimension, bad) => {
    expect(refusal({ ...caps, [`${dimension}_max`]: bad })).toEqual({
      code: 'budget_invalid',
      path: `/${dimension}_max`,
    });
  });

  test.each(BUDGET_DIMENSIONS.filter((dimension) => !dimension.endsWith('_usd')))(
    'counts %s in integers',
    (dimension) => {
      expect(refusal({ ...caps, [`${dimension}_max`]: 1.5 }).path).toBe(`/${dimension}_max`);
    },
  );

  test.each([
    ['an unknown dimension', { ...caps, gpu_seconds_max: 1 }],
    ['a prototype key', JSON.parse(`{"__proto__":{"steps_max":1},${JSON.stringify(caps).slice(1)}`)],
    ['a constructor key', { ...caps, constructor: 1 }],
    ['an unknown role', { ...caps, roles: { judge: {} } }],
    ['a role with a bad allotment', { ...caps, roles: { planner: { input_tokens_max: -1 } } }],
    ['nothing', null],
    ['a list', [caps]],
    ['a text', 'research'],
  ])('is refused as %s', (_, value) => {
    expect(refusal(value).code).toBe('budget_invalid');
  });
});

describe('re-planning more than twice', () => {
  verifies('replan:budget:raise-needs-rationale', 'needs a rationale, which is kept with the caps', () => {
    expect(refusal({ ...caps, replan_attempts_max: 4 })).toEqual({
      code: 'replan_rationale_required',
      path: '/replan_attempts_max',
    });
    expect(refusal({ ...caps, replan_attempts_max: 4, replan_rationale: ' ' }).code).toBe('replan_rationale_required');
    const explained = { ...caps, replan_attempts_max: 4, replan_rationale: 'suppliers change their answers daily' };
    expect(parseCaps(explained)).toEqual(explained);
    expect(parseCaps({ ...caps, replan_attempts_max: 2 }).replan_attempts_max).toBe(2);
  });
});
