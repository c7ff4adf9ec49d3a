/** Proves the published caps, value by value, and how configuration and a tenant's quota change them. */
import { describe, expect, test } from 'vitest';
import { verifies } from '../../test/requirements/verifies.ts';
import { BUDGET_DIMENSIONS, type PartialCaps } from './budget.ts';
import { ENFORCEMENT_OWNERS, PROFILE_CAPS, resolveCaps } from './budget-profile.ts';
import { deepFreeze } from './freeze.ts';

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
  verifies('budget:defaults-research:twelve-caps', 'of a research assistant', () => {
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

  verifies('budget:defaults-code:twelve-caps', 'of a code workspace', () => {
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

  verifies('budget:defaults-sre:twelve-caps', 'of an incident agent', () => {
    expect(resolveCaps('incident_sre').caps).toEqual({ ...LOOP, ...INCIDENT });
  });

  test('cannot be changed by whoever holds them', () => {
    expect(Object.isFrozen(PROFILE_CAPS.research)).toBe(true);
  });
});

describe('configuration', () => {
  verifies('budget:defaults:overridable-and-owner-labelled', 'changes what it names and nothing else', () => {
    const resolved = resolveCaps('research', { tool_calls_max: 7 });
    expect(resolved.caps).toEqual({ ...PROFILE_CAPS.research, tool_calls_max: 7 });
    expect(resolved.overridden).toEqual(['tool_calls']);
    expect(() => resolveCaps('customer_support')).toThrow(expect.objectContaining({ code: 'budget_invalid' }));
    expect(() => resolveCaps('procurement')).toThrow(expect.objectContaining({ code: 'budget_invalid' }));
    for (const dimension of BUDGET_DIMENSIONS) expect(ENFORCEMENT_OWNERS[dimension]).toMatch(/\w{5}/);
  });

  test('that states the published value overrides nothing', () => {
    expect(resolveCaps('research', { steps_max: 15 }).overridden).toEqual([]);
  });

  test('can raise a cap and add one for what tools spend', () => {
    const { caps, overridden } = resolveCaps('coding', { steps_max: 60, tool_spend_usd_max: 3 });
    expect(caps).toMatchObject({ steps_max: 60, tool_spend_usd_max: 3, inference_cost_usd_max: 5 });
    expect(overridden).toEqual(['steps', 'tool_spend_usd']);
  });

  test('of a profile without published caps names what is missing', () => {
    const { memory_writes_max: _, ...stated } = INCIDENT;
    expect(() => resolveCaps('customer_support', stated)).toThrow(/"customer_support".*state memory_writes_max$/);
    expect(resolveCaps('customer_support', INCIDENT)).toEqual({
      caps: { ...LOOP, ...INCIDENT },
      overridden: [],
      limited_by_quota: [],
    });
  });

  test.each(['__proto__', 'constructor', 'toString', ''])('finds no profile called "%s"', (name) => {
    expect(() => resolveCaps(name)).toThrow(expect.objectContaining({ code: 'budget_invalid' }));
    expect(resolveCaps(name, INCIDENT).caps.steps_max).toBe(10);
  });

  test.each([
    ['a negative cap', { steps_max: -1 }],
    ['a cap that is not a number', { steps_max: Number.NaN }],
    ['an infinite cap', { steps_max: Infinity }],
    ['an absurd cap', { steps_max: 2 ** 60 }],
    ['an unknown cap', { steps_maximum: 3 } as PartialCaps],
  ])('is refused with %s, whoever states it', (_, bad) => {
    expect(() => resolveCaps('research', bad)).toThrow(expect.objectContaining({ code: 'budget_invalid' }));
    expect(() => resolveCaps('research', {}, bad)).toThrow(expect.objectContaining({ code: 'budget_invalid' }));
  });
});

describe("a tenant's quota", () => {
  test('is the limit where it is lower, and no gift where it is higher', () => {
    const overrides = deepFreeze({ steps_max: 40 });
    const quota = deepFreeze({ steps_max: 12, tool_calls_max: 99, inference_cost_usd_max: 0.5 });
    const { caps, limited_by_quota } = resolveCaps('research', overrides, quota);
    expect(caps).toMatchObject({ steps_max: 12, tool_calls_max: 30, inference_cost_usd_max: 0.5 });
    expect(limited_by_quota).toEqual(['inference_cost_usd', 'steps']);
  });

  test('on what tools spend binds even where no such cap was asked for', () => {
    expect(resolveCaps('research', {}, { tool_spend_usd_max: 1 }).caps.tool_spend_usd_max).toBe(1);
  });

  test('that brings the re-plans down to two makes the rationale unnecessary', () => {
    expect(() => resolveCaps('research', { replan_attempts_max: 5 })).toThrow(
      expect.objectContaining({ code: 'replan_rationale_required' }),
    );
    expect(resolveCaps('research', { replan_attempts_max: 5 }, { replan_attempts_max: 1 }).caps).toMatchObject({
      replan_attempts_max: 1,
    });
  });

  test('supplies no cap that a profile must state itself', () => {
    expect(() => resolveCaps('procurement', {}, INCIDENT)).toThrow(expect.objectContaining({ code: 'budget_invalid' }));
  });
});
