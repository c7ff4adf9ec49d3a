/** Proves when a run may reflect: five occasions, each with its own bound, never beyond the run's budget. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { REFLECTION_TRIGGERS } from '../model/reflection.ts';
import { mayReflect, reflectionRow } from './reflect.ts';

const PLENTY = 100;

test('the five rows', () => {
  expect(Object.fromEntries(REFLECTION_TRIGGERS.map((trigger) => [trigger, reflectionRow(trigger)]))).toEqual({
    tool_failure: { passesMax: 2, exhausted: 'REPEATED_FAILURE' },
    low_confidence: { passesMax: 1, exhausted: 'LOW_CONFIDENCE' },
    conflict: { passesMax: 1, exhausted: 'SOURCE_CONFLICT' },
    context_bloat: { passesMax: 1, exhausted: 'BUDGET_EXHAUSTED' },
    plan_divergence: { passesMax: 0, exhausted: 'REVIEW_REQUIRED' },
  });
});

test.each(['routine', '', 'toString', '__proto__', 'TOOL_FAILURE'])('"%s" is no occasion', (trigger) => {
  expect(() => mayReflect(trigger, 0, PLENTY)).toThrowError(
    expect.objectContaining({ code: 'reflection_not_allowed' }),
  );
});

describe('the bound of the row', () => {
  test('two repairs after tool failures, then repeated failure', () => {
    expect(mayReflect('tool_failure', 0, PLENTY)).toEqual({ allow: true, passesLeft: 2 });
    expect(mayReflect('tool_failure', 1, PLENTY)).toEqual({ allow: true, passesLeft: 1 });
    expect(mayReflect('tool_failure', 2, PLENTY)).toEqual({ allow: false, bound: 'row', code: 'REPEATED_FAILURE' });
  });

  test('one pass on low confidence, one cross-check on a conflict', () => {
    expect(mayReflect('low_confidence', 0, PLENTY)).toEqual({ allow: true, passesLeft: 1 });
    expect(mayReflect('low_confidence', 1, PLENTY)).toEqual({ allow: false, bound: 'row', code: 'LOW_CONFIDENCE' });
    expect(mayReflect('conflict', 1, PLENTY)).toEqual({ allow: false, bound: 'row', code: 'SOURCE_CONFLICT' });
  });

  test('a result that contradicts the goal allows none', () => {
    expect(mayReflect('plan_divergence', 0, PLENTY)).toEqual({ allow: false, bound: 'row', code: 'REVIEW_REQUIRED' });
  });
});

describe("the run's budget", () => {
  test('is the smaller bound when less is left of it', () => {
    expect(mayReflect('tool_failure', 0, 1)).toEqual({ allow: true, passesLeft: 1 });
    expect(mayReflect('tool_failure', 0, 0)).toEqual({ allow: false, bound: 'budget', code: 'REPEATED_FAILURE' });
  });

  test('does not pay for compression, which makes room', () => {
    expect(mayReflect('context_bloat', 0, 0)).toEqual({ allow: true, passesLeft: 1 });
    expect(mayReflect('context_bloat', 1, 0)).toEqual({ allow: false, bound: 'row', code: 'BUDGET_EXHAUSTED' });
  });

  test('a bound that is not a number allows nothing', () => {
    expect(mayReflect('tool_failure', Number.NaN, 1).allow).toBe(false);
    expect(mayReflect('tool_failure', 0, Number.NaN).allow).toBe(false);
  });

  const trigger = fc.constantFrom(...REFLECTION_TRIGGERS.filter((each) => each !== 'context_bloat'));
  test.prop([trigger, fc.nat(5), fc.nat(5)])('any run of passes ends at the smaller bound', (each, used, left) => {
    let passes = 0;
    while (mayReflect(each, used + passes, left - passes).allow) passes += 1;
    expect(passes).toBe(Math.max(0, Math.min(reflectionRow(each).passesMax - used, left)));
  });
});
