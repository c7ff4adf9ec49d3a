/** The published caps, value by value, and their changes by configuration and tenant quota. */
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/requirements/verifies.ts';
import { deepFreeze } from '../json/freeze.ts';
import type { PartialCaps } from './budget.ts';
import { ENFORCEMENT_OWNERS, PROFILE_CAPS, resolveCaps } from './budget-profile.ts';
import { BUDGET_DIMENSIONS } from './dimensions.ts';

const LOOP = { replan_attempts_max: 2, lanes_max: 0 };

const INCIDENT = {
  steps_max: 10,
  tool_calls_max: 15,
  external_api_calls_max: 2,
  input_tokens_max: 100_000,
  output_tokens_max: 15_000,
  wall_clock_seconds_max: 120,
  inference_cost_usd_max: 1,
  retry_count_max: 2,
  reflection_passes_max: 1,
  context_tokens_max: 50_000,
  memory_writes_max: 0,
  side_effects_max: 0,
};

describe('the published caps', () => {
  verifies('budget:defaults-research:twelve-caps', 'match the specification for a research assistant', () => {
    expect(resolveCaps('research').caps).toEqual({
      ...LOOP,
      steps_max: 15,
      tool_calls_max: 30,
      external_api_calls_max: 5,
      input_tokens_max: 200_000,
      output_tokens_max: 30_000,
      wall_clock_seconds_max: 300,
      inference_cost_usd_max: 2,
      retry_count_max: 3,
      reflection_passes_max: 1,
      context_tokens_max: 100_000,
      memory_writes_max: 2,
      side_effects_max: 0,
    });
  });

  verifies('budget:defaults-code:twelve-caps', 'match the specification for a code workspace', () => {
    expect(resolveCaps('coding').caps).toEqual({
      ...LOOP,
      steps_max: 30,
      tool_calls_max: 50,
      external_api_calls_max: 10,
      input_tokens_max: 400_000,
      output_tokens_max: 60_000,
      wall_clock_seconds_max: 600,
      inference_cost_usd_max: 5,
      retry_count_max: 5,
      reflection_passes_max: 2,
      context_tokens_max: 200_000,
      memory_writes_max: 5,
      side_effects_max: 2,
    });
  });

  verifies('budget:defaults-sre:twelve-caps', 'match the specification for an incident agent', () => {
    expect(resolveCaps('incident_sre').caps).toEqual({ ...LOOP, ...INCIDENT });
  });

  test('cannot be changed by the caller', () => {
    expect(Object.isFrozen(PROFILE_CAPS.research)).toBe(true);
  });
});

describe('configuration', () => {
  verifies('budget:defaults:overridable-and-owner-labelled', 'changes only the caps that it names', () => {
    const resolved = resolveCaps('research', { tool_calls_max: 7 });
    expect(resolved.caps).toEqual({ ...PROFILE_CAPS.research, tool_calls_max: 7 });
    expect(resolved.overridden).toEqual(['tool_calls']);
    expect(() => resolveCaps('customer_support')).toThrow(expect.objectContaining({ code: 'budget_invalid' }));
    expect(() => resolveCaps('procurement')).toThrow(expect.objectContaining({ code: 'budget_invalid' }));
    for (const dimension of BUDGET_DIMENSIONS) expect(ENFORCEMENT_OWNERS[dimension]).toMatch(/\w{5}/);
  });

  test('the standard budget permits one side effect and no memory', () => {
    expect(resolveCaps('standard')).toEqual({
      caps: { ...PROFILE_CAPS.research, memory_writes_max: 0, side_effects_max: 1 },
      overridden: [],
      limited_by_quota: [],
    });
  });

  test('overrides nothing if it states the published value', () => {
    expect(resolveCaps('research', { steps_max: 15 }).overridden).toEqual([]);
  });

  test('can raise a cap and add a cap for tool spending', () => {
    const { caps, overridden } = resolveCaps('coding', { steps_max: 60, tool_spend_usd_max: 3 });
    expect(caps).toMatchObject({ steps_max: 60, tool_spend_usd_max: 3, inference_cost_usd_max: 5 });
    expect(overridden).toEqual(['steps', 'tool_spend_usd']);
  });

  test('is refused with the missing caps for a profile without published caps', () => {
    const { memory_writes_max: _, ...stated } = INCIDENT;
    expect(() => resolveCaps('customer_support', stated)).toThrow(
      /"customer_support".*state memoryWritesMax; or name .*'standard'/,
    );
    expect(resolveCaps('customer_support', INCIDENT)).toEqual({
      caps: { ...LOOP, ...INCIDENT },
      overridden: [],
      limited_by_quota: [],
    });
  });

  test.each(['__proto__', 'constructor', 'toString', ''])('has no profile called "%s"', (name) => {
    expect(() => resolveCaps(name)).toThrow(expect.objectContaining({ code: 'budget_invalid' }));
    expect(resolveCaps(name, INCIDENT).caps.steps_max).toBe(10);
  });

  test.each([
    ['a negative cap', { steps_max: -1 }],
    ['a cap that is not a number', { steps_max: Number.NaN }],
    ['an infinite cap', { steps_max: Infinity }],
    ['an absurd cap', { steps_max: 2 ** 60 }],
    ['an unknown cap', { steps_maximum: 3 } as PartialCaps],
  ])('is refused with %s, as override and as quota', (_, bad) => {
    expect(() => resolveCaps('research', bad)).toThrow(expect.objectContaining({ code: 'budget_invalid' }));
    expect(() => resolveCaps('research', {}, bad)).toThrow(expect.objectContaining({ code: 'budget_invalid' }));
  });
});

describe("a tenant's quota", () => {
  test('lowers a higher cap and does not raise a lower one', () => {
    const overrides = deepFreeze({ steps_max: 40 });
    const quota = deepFreeze({ steps_max: 12, tool_calls_max: 99, inference_cost_usd_max: 0.5 });
    const { caps, limited_by_quota } = resolveCaps('research', overrides, quota);
    expect(caps).toMatchObject({ steps_max: 12, tool_calls_max: 30, inference_cost_usd_max: 0.5 });
    expect(limited_by_quota).toEqual(['inference_cost_usd', 'steps']);
  });

  test('limits tool spending even if the agent has no cap for it', () => {
    expect(resolveCaps('research', {}, { tool_spend_usd_max: 1 }).caps.tool_spend_usd_max).toBe(1);
  });

  test('makes the rationale unnecessary if it lowers the re-plans to two', () => {
    expect(() => resolveCaps('research', { replan_attempts_max: 5 })).toThrow(
      expect.objectContaining({ code: 'replan_rationale_required' }),
    );
    expect(resolveCaps('research', { replan_attempts_max: 5 }, { replan_attempts_max: 1 }).caps).toMatchObject({
      replan_attempts_max: 1,
    });
  });

  test('does not supply a cap that the profile must state', () => {
    expect(() => resolveCaps('procurement', {}, INCIDENT)).toThrow(expect.objectContaining({ code: 'budget_invalid' }));
  });
});
