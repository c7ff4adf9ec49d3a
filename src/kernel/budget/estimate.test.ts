/** Proves the interval estimate: it stops a run that cannot finish and only warns about one that may not. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PROFILE_CAPS } from '../../model/budget/budget-profile.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import { charge, openBudget, reserve } from './budget.ts';
import {
  addEstimate,
  atRisk,
  type Estimate,
  earlyStop,
  isSound,
  NO_ESTIMATE,
  stepEstimate,
  subtractEstimate,
} from './estimate.ts';
import { type Amounts, remaining } from './view.ts';

const lookup: ToolSpec = deepFreeze({
  name: 'orders.lookup',
  version: '1',
  description: 'Finds an order',
  approval_mode: 'read_only',
  category: 'read_only_lookup',
  input_schema: {},
  output_schema: {},
  active: true,
  external: true,
  side_effect: false,
  trusted: true,
  gates: [],
  produces: [],
  needs: [],
  idempotency: { kind: 'natural' },
  timeout_ms: 2_000,
  retries_max: 2,
  cost: { input_tokens: 10, output_tokens: 20, microusd: 300 },
} as const);

const refund: ToolSpec = { ...lookup, name: 'payments.refund', external: false, side_effect: true, retries_max: 0 };

const withCalls = (calls: number): Amounts =>
  remaining(openBudget({ ...PROFILE_CAPS.research, tool_calls_max: calls }));
const interval = (lower: number, upper: number): Estimate =>
  deepFreeze({
    lower: { ...NO_ESTIMATE.lower, tool_calls: lower },
    upper: { ...NO_ESTIMATE.upper, tool_calls: upper },
  });

describe('stepEstimate', () => {
  test('counts one call in the lower bound and every retry in the upper', () => {
    const { lower, upper } = stepEstimate(lookup);
    expect(lower).toEqual({ ...NO_ESTIMATE.lower, steps: 1, tool_calls: 1, external_api_calls: 1 });
    expect(upper).toEqual({
      ...NO_ESTIMATE.upper,
      steps: 1,
      tool_calls: 3,
      external_api_calls: 3,
      input_tokens: 30,
      output_tokens: 60,
      tool_spend_microusd: 900,
      wall_clock_ms: 6_000,
      retry_count: 2,
    });
  });

  test('counts a side effect once', () => {
    expect(stepEstimate(refund)).toMatchObject({
      lower: { side_effects: 1 },
      upper: { side_effects: 1, tool_calls: 1 },
    });
  });
});

describe('running total', () => {
  test('returns to zero when every step is done, in any order', () => {
    const steps = fc.array(fc.constantFrom(stepEstimate(lookup), stepEstimate(refund)), { maxLength: 30 });
    fc.assert(
      fc.property(steps, fc.infiniteStream(fc.nat()), (list, picks) => {
        let total = list.reduce(addEstimate, NO_ESTIMATE);
        const open = [...list];
        while (open.length > 0) {
          const [done] = open.splice((picks.next().value ?? 0) % open.length, 1);
          if (done !== undefined) total = subtractEstimate(deepFreeze(total), done);
          expect(isSound(total)).toBe(true);
          expect(total.lower.tool_calls).toBe(open.length);
        }
        expect(total).toEqual(NO_ESTIMATE);
      }),
    );
  });
});

describe('earlyStop', () => {
  test('stops if the remainder is strictly below the lower bound', () => {
    expect(earlyStop(withCalls(2), interval(4, 4))).toEqual({ dimension: 'tool_calls', needed: 4, left: 2 });
    expect(earlyStop(withCalls(4), interval(4, 4))).toBeNull();
    expect(earlyStop(withCalls(3), interval(4, 9))).not.toBeNull();
  });

  test('does not stop for the upper bound, which is only a risk', () => {
    expect(earlyStop(withCalls(5), interval(4, 9))).toBeNull();
    expect(atRisk(withCalls(5), interval(4, 9))).toEqual({ dimension: 'tool_calls', needed: 9, left: 5 });
    expect(atRisk(withCalls(9), interval(4, 9))).toBeNull();
    expect(earlyStop(withCalls(5), interval(6, 9))).toMatchObject({ dimension: 'tool_calls' });
  });

  test('finds a shortage in any dimension, such as a side effect with a cap of 0', () => {
    expect(earlyStop(withCalls(5), stepEstimate(refund))).toEqual({ dimension: 'side_effects', needed: 1, left: 0 });
  });

  test('reports money in dollars and time in seconds', () => {
    const { lower, upper } = NO_ESTIMATE;
    const dear = { lower: { ...lower, cost_microusd: 2_500_000 }, upper: { ...upper, cost_microusd: 2_500_000 } };
    expect(earlyStop(withCalls(1), dear)).toEqual({ dimension: 'inference_cost_usd', needed: 2.5, left: 2 });
    const slow = { lower: { ...lower, wall_clock_ms: 500 }, upper: { ...upper, wall_clock_ms: 500 } };
    const late = remaining(openBudget(PROFILE_CAPS.research), 299_900);
    expect(earlyStop(late, slow)).toEqual({ dimension: 'wall_clock_seconds', needed: 0.5, left: 0.1 });
  });

  test('ignores an overdrawn dimension of which nothing more is needed', () => {
    const over = { ...withCalls(5), input_tokens: -10 };
    expect(earlyStop(over, interval(1, 1))).toBeNull();
  });
});

describe('contradictory estimates', () => {
  test.each([
    ['a lower bound above the upper', interval(9, 4)],
    ['a negative lower bound', interval(-1, 4)],
    ['NaN', interval(Number.NaN, 4)],
    ['an upper bound without end', interval(9, Number.POSITIVE_INFINITY)],
  ])('%s is ignored, and the caps still hold', (_, estimate) => {
    expect(isSound(estimate)).toBe(false);
    expect(earlyStop(withCalls(1), estimate)).toBeNull();
    expect(atRisk(withCalls(1), estimate)).toBeNull();
    const spent = charge(openBudget({ ...PROFILE_CAPS.research, tool_calls_max: 1 }), { tool_calls: 1 });
    expect(spent.ok && reserve(spent.budget, { tool_calls: 1 }).ok).toBe(false);
  });
});
