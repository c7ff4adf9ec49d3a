/** Tests the choice of the terminal code: a fixed order over a closed set, independent of the order of arrival. */
import { readFileSync } from 'node:fs';
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { verifies } from '../../../test/requirements/verifies.ts';
import { PRECEDENCE, type Stop, TERMINAL_CODES } from '../../model/fault/terminal-code.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { chooseStop, completionStop, type SuccessCriteria, successAllowed } from './stop.ts';

const code = fc.constantFrom(...TERMINAL_CODES);
const stop: fc.Arbitrary<Stop> = fc.oneof(
  fc.record({ code, reason: fc.constantFrom('a', 'b', 'B') }),
  fc.record({ code, reason: fc.constantFrom('a', 'b'), detail: fc.record({ step: fc.constantFrom('s1', 's2') }) }),
);
const stops = fc.array(stop, { minLength: 1, maxLength: 12 });

describe('precedence', () => {
  test('ranks the codes, strongest first', () => {
    expect(PRECEDENCE).toEqual([
      'UNSAFE_DETECTION',
      'PERMISSION_DENIED',
      'USER_CANCEL',
      'TIMEOUT',
      'BUDGET_EXHAUSTED',
      'REPEATED_FAILURE',
      'UNAVAILABLE_DEP',
      'IMPOSSIBLE',
      'MISSING_INFO',
      'AMBIGUOUS_INTENT',
      'CONFIRM_REQUIRED',
      'REVIEW_REQUIRED',
      'VALIDATION_FAIL',
      'LOW_CONFIDENCE',
      'SOURCE_CONFLICT',
      'PARTIAL_SUCCESS',
      'SUCCESS',
    ]);
  });

  test('matches the guide', () => {
    const guide = readFileSync(new URL('../../../docs/concepts/how-runs-end.md', import.meta.url), 'utf8');
    const rows = Array.from(guide.matchAll(/^\| (\d+) \| `([A-Z_]+)` \|/gm), ([, rank, code]) => [Number(rank), code]);
    expect(rows).toEqual(PRECEDENCE.map((code, index) => [index + 1, code]));
  });

  test('ranks each of the seventeen codes once', () => {
    expect(PRECEDENCE).toHaveLength(17);
    expect([...PRECEDENCE].sort()).toEqual([...TERMINAL_CODES].sort());
  });
});

describe('choosing the stop', () => {
  verifies(
    'terminate:precedence:deterministic-when-several-fire',
    'unsafe beats success, which is recorded as suppressed',
    () => {
      const unsafe: Stop = { code: 'UNSAFE_DETECTION', reason: 'exfiltration' };
      const success: Stop = { code: 'SUCCESS', reason: 'goal_met' };
      const chosen = { stop: unsafe, suppressed: ['SUCCESS'] };
      expect(chooseStop([unsafe, success])).toEqual(chosen);
      expect(chooseStop([success, unsafe])).toEqual(chosen);
      expect(chooseStop([success, unsafe])).toEqual(chosen);
    },
  );

  test('a wall clock timeout beats an exhausted budget', () => {
    const chosen = chooseStop([
      { code: 'BUDGET_EXHAUSTED', reason: 'output_tokens' },
      { code: 'TIMEOUT', reason: 'workflow_timeout' },
    ]);
    expect(chosen).toMatchObject({ stop: { code: 'TIMEOUT' }, suppressed: ['BUDGET_EXHAUSTED'] });
  });

  test('orders two conditions of one code by reason, then by detail', () => {
    const conditions: Stop[] = [
      { code: 'MISSING_INFO', reason: 'b' },
      { code: 'MISSING_INFO', reason: 'a', detail: { field: 'z' } },
      { code: 'MISSING_INFO', reason: 'a', detail: { field: 'y' } },
    ];
    expect(chooseStop(conditions)).toEqual({ stop: conditions[2], suppressed: [] });
    expect(chooseStop(conditions.toReversed())).toEqual({ stop: conditions[2], suppressed: [] });
  });

  test.each([
    ['no condition', []],
    ['a code nobody knows', [{ code: 'DONE', reason: 'model_said_so' } as unknown as Stop]],
    [
      'an unknown code among known ones',
      [{ code: 'SUCCESS', reason: 'goal_met' }, { code: 'toString', reason: 'x' } as unknown as Stop],
    ],
  ] satisfies [string, Stop[]][])('rejects %s', (_, conditions) => {
    expect(() => chooseStop(conditions)).toThrowError(expect.objectContaining({ code: 'terminal_code_unknown' }));
  });

  const shuffled = stops.chain((list) =>
    fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
  );
  test.prop([shuffled])('is independent of the order of arrival', ([list, other]) => {
    expect(chooseStop(other)).toEqual(chooseStop(deepFreeze(list)));
  });

  test.prop([stops])('lists every other code once, strongest first, none above the chosen one', (list) => {
    const { stop: chosen, suppressed } = chooseStop(list);
    const ranks = [chosen.code, ...suppressed].map((each) => PRECEDENCE.indexOf(each));
    expect(ranks).toEqual([...new Set(ranks)].sort((a, b) => a - b));
    expect(new Set([chosen.code, ...suppressed])).toEqual(new Set(list.map((each) => each.code)));
  });
});

describe('successful endings', () => {
  const all: SuccessCriteria = { goal: true, validation: true, grounding: true, safety: true };

  test('need all four criteria', () => {
    expect(completionStop(all, [])).toEqual({ code: 'SUCCESS', reason: 'goal_met' });
    for (const criterion of ['goal', 'validation', 'grounding', 'safety'] as const) {
      const met = { ...all, [criterion]: false };
      expect(successAllowed(met)).toBe(false);
      expect(completionStop(met, [])).toBeNull();
    }
  });

  test('are partial and disclose failed secondary work', () => {
    expect(completionStop(all, ['notify_customer'])).toEqual({
      code: 'PARTIAL_SUCCESS',
      reason: 'secondary_unresolved',
      detail: { unresolved: ['notify_customer'] },
    });
  });

  test('need the primary goal, even for a partial success', () => {
    expect(completionStop({ ...all, goal: false }, ['notify_customer'])).toBeNull();
  });
});
