import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { REFLECTION_TRIGGERS } from '../../../model/plan/proposal.ts';
import { mayReflect, reflectionRow } from './reflection.ts';

const PLENTY = 100;

test('lists five triggers', () => {
  expect(Object.fromEntries(REFLECTION_TRIGGERS.map((trigger) => [trigger, reflectionRow(trigger)]))).toEqual({
    tool_failure: { passesMax: 2, exhausted: 'REPEATED_FAILURE' },
    low_confidence: { passesMax: 1, exhausted: 'LOW_CONFIDENCE' },
    conflict: { passesMax: 1, exhausted: 'SOURCE_CONFLICT' },
    context_bloat: { passesMax: 1, exhausted: 'BUDGET_EXHAUSTED' },
    plan_divergence: { passesMax: 0, exhausted: 'REVIEW_REQUIRED' },
  });
});

test.each(['routine', '', 'toString', '__proto__', 'TOOL_FAILURE'])('"%s" is not a trigger', (trigger) => {
  expect(() => mayReflect(trigger, 0, PLENTY)).toThrowError(
    expect.objectContaining({ code: 'reflection_not_allowed' }),
  );
});

describe('the limit of the trigger', () => {
  test('allows two repairs after tool failures, then ends with repeated failure', () => {
    expect(mayReflect('tool_failure', 0, PLENTY)).toEqual({ allow: true, passesLeft: 2 });
    expect(mayReflect('tool_failure', 1, PLENTY)).toEqual({ allow: true, passesLeft: 1 });
    expect(mayReflect('tool_failure', 2, PLENTY)).toEqual({ allow: false, bound: 'row', code: 'REPEATED_FAILURE' });
  });

  test('allows one pass on low confidence and one cross-check on a conflict', () => {
    expect(mayReflect('low_confidence', 0, PLENTY)).toEqual({ allow: true, passesLeft: 1 });
    expect(mayReflect('low_confidence', 1, PLENTY)).toEqual({ allow: false, bound: 'row', code: 'LOW_CONFIDENCE' });
    expect(mayReflect('conflict', 1, PLENTY)).toEqual({ allow: false, bound: 'row', code: 'SOURCE_CONFLICT' });
  });

  test('allows no pass when a result contradicts the goal', () => {
    expect(mayReflect('plan_divergence', 0, PLENTY)).toEqual({ allow: false, bound: 'row', code: 'REVIEW_REQUIRED' });
  });
});

describe("the run's budget", () => {
  test('is the limit when less of it is left', () => {
    expect(mayReflect('tool_failure', 0, 1)).toEqual({ allow: true, passesLeft: 1 });
    expect(mayReflect('tool_failure', 0, 0)).toEqual({ allow: false, bound: 'budget', code: 'REPEATED_FAILURE' });
  });

  test('is not used by compression, which frees context', () => {
    expect(mayReflect('context_bloat', 0, 0)).toEqual({ allow: true, passesLeft: 1 });
    expect(mayReflect('context_bloat', 1, 0)).toEqual({ allow: false, bound: 'row', code: 'BUDGET_EXHAUSTED' });
  });

  test('treats a limit that is not a number as zero', () => {
    expect(mayReflect('tool_failure', Number.NaN, 1).allow).toBe(false);
    expect(mayReflect('tool_failure', 0, Number.NaN).allow).toBe(false);
  });

  const trigger = fc.constantFrom(...REFLECTION_TRIGGERS.filter((each) => each !== 'context_bloat'));
  test.prop([trigger, fc.nat(5), fc.nat(5)])('ends any series of passes at the smaller limit', (each, used, left) => {
    let passes = 0;
    while (mayReflect(each, used + passes, left - passes).allow) passes += 1;
    expect(passes).toBe(Math.max(0, Math.min(reflectionRow(each).passesMax - used, left)));
  });
});
