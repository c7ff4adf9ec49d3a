/** Tests the verdict on a step: each rule by example, and properties for arbitrary scores and budgets. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { STEP_VERDICTS } from '../../../model/critic/verdict.ts';
import { deepFreeze } from '../../../model/json/freeze.ts';
import { decideVerdict, type FailureDecision, type FailureKind, type Judgement } from './decide-failure.ts';

const good: Judgement = deepFreeze({
  scores: { policy: 1, safety: 1, utility: 0.95 },
  rubric: { accept: 0.8, floors: { policy: 0.9, safety: 0.9 }, confidence: 0.6 },
  failure: null,
  retryable: true,
  left: { retries: 2, replans: 2, reflections: 1 },
  exhausted: null,
  riskHigh: false,
});
const NOTHING_LEFT = { retries: 0, replans: 0, reflections: 0 };

const brief = ({ verdict, reason }: FailureDecision): [string, string] => [verdict, reason.code];

describe('accept', () => {
  test('needs every floor met and every score at the threshold', () => {
    expect(decideVerdict(good)).toEqual({ verdict: 'accept', reason: { code: 'accepted', detail: {} } });
    expect(decideVerdict({ ...good, scores: { policy: 0.9, safety: 0.9, utility: 0.8 } }).verdict).toBe('accept');
  });

  test('needs no attempts left', () => {
    expect(decideVerdict({ ...good, left: NOTHING_LEFT }).verdict).toBe('accept');
  });
});

describe('floors and budget come first', () => {
  test('escalates a score below its floor, however good the others are', () => {
    const scores = { policy: 0.89, safety: 1, utility: 1 };
    expect(decideVerdict({ ...good, scores })).toEqual({
      verdict: 'escalate',
      reason: { code: 'below_floor', detail: { unmet: { policy: 0.89 } } },
    });
    expect(brief(decideVerdict({ ...good, scores, failure: 'timeout' }))).toEqual(['escalate', 'below_floor']);
    expect(brief(decideVerdict({ ...good, scores, exhausted: 'tool_calls' }))).toEqual(['escalate', 'below_floor']);
  });

  test('escalates when a budget runs out during the step, and names the dimension', () => {
    const escalate = {
      verdict: 'escalate',
      reason: { code: 'budget_exhausted', detail: { dimension: 'output_tokens' } },
    };
    expect(decideVerdict({ ...good, exhausted: 'output_tokens' })).toEqual(escalate);
    expect(decideVerdict({ ...good, exhausted: 'output_tokens', failure: 'error' })).toEqual(escalate);
  });
});

describe('after a failure', () => {
  const first: Readonly<Record<FailureKind, readonly [string, string]>> = {
    error: ['retry', 'tool_failed'],
    timeout: ['retry', 'step_timeout'],
    denied: ['replan', 'permission_denied'],
    expired: ['escalate', 'credential_expired'],
    malformed: ['retry', 'tool_result_invalid'],
    empty: ['retry', 'tool_result_invalid'],
    cancelled: ['replan', 'tool_failed'],
    verification_failed: ['retry', 'tool_result_invalid'],
    unexpected_evidence: ['replan', 'unexpected_evidence'],
    assumption_disproved: ['escalate', 'assumption_disproved'],
  };

  test.each(Object.keys(first) as FailureKind[])('%s', (failure) => {
    expect(brief(decideVerdict({ ...good, failure }))).toEqual(first[failure]);
  });

  test('replans a call that may not be repeated', () => {
    expect(brief(decideVerdict({ ...good, failure: 'timeout', retryable: false }))).toEqual(['replan', 'step_timeout']);
  });

  test('replans when no retry is left, and gives that as the reason', () => {
    const left = { retries: 0, replans: 1, reflections: 1 };
    expect(decideVerdict({ ...good, failure: 'error', left })).toEqual({
      verdict: 'replan',
      reason: { code: 'retry_budget_exhausted', detail: { failure: 'error' } },
    });
  });

  test('escalates with the cause when nothing is left to try', () => {
    expect(decideVerdict({ ...good, failure: 'error', left: NOTHING_LEFT })).toEqual({
      verdict: 'escalate',
      reason: { code: 'replan_budget_exhausted', detail: { cause: 'retry_budget_exhausted', failure: 'error' } },
    });
    expect(decideVerdict({ ...good, failure: 'denied', left: NOTHING_LEFT }).reason).toEqual({
      code: 'replan_budget_exhausted',
      detail: { cause: 'permission_denied', failure: 'denied' },
    });
  });

  test.each(['malformed', 'empty', 'verification_failed'] as const)('escalates %s at high risk', (kind) => {
    expect(brief(decideVerdict({ ...good, failure: kind, riskHigh: true }))).toEqual([
      'escalate',
      'tool_result_invalid',
    ]);
  });

  test('retries a transient failure at any risk', () => {
    expect(brief(decideVerdict({ ...good, failure: 'timeout', riskHigh: true }))).toEqual(['retry', 'step_timeout']);
  });

  test('needs no scores for a failed step', () => {
    expect(brief(decideVerdict({ ...good, scores: {}, failure: 'timeout' }))).toEqual(['retry', 'step_timeout']);
  });
});

describe('after a low score', () => {
  const scored = (utility: number): Judgement => ({ ...good, scores: { policy: 1, safety: 1, utility } });

  test('replans a score below the threshold', () => {
    expect(decideVerdict(scored(0.79))).toEqual({
      verdict: 'replan',
      reason: { code: 'below_accept', detail: { unmet: { utility: 0.79 } } },
    });
    expect(decideVerdict({ ...scored(0.79), left: { ...good.left, replans: 0 } })).toEqual({
      verdict: 'escalate',
      reason: { code: 'replan_budget_exhausted', detail: { cause: 'below_accept', unmet: { utility: 0.79 } } },
    });
  });

  test('reflects once on a score below the confidence limit, then escalates', () => {
    expect(brief(decideVerdict(scored(0.59)))).toEqual(['replan', 'low_confidence']);
    expect(decideVerdict({ ...scored(0.59), left: { ...good.left, reflections: 0 } })).toEqual({
      verdict: 'escalate',
      reason: { code: 'low_confidence', detail: { unmet: { utility: 0.59 } } },
    });
    expect(brief(decideVerdict(scored(0.6)))).toEqual(['replan', 'below_accept']);
  });
});

describe('invalid evaluator output', () => {
  test.each([Number.NaN, Number.POSITIVE_INFINITY, -0.01, 1.01, '1' as unknown as number])(
    'rejects a score of %s',
    (score) => {
      expect(() => decideVerdict({ ...good, scores: { ...good.scores, utility: score } })).toThrowError(
        expect.objectContaining({ code: 'evaluator_failed' }),
      );
    },
  );

  test('rejects missing scores and a floor without a score', () => {
    const failed = expect.objectContaining({ code: 'evaluator_failed' });
    expect(() => decideVerdict({ ...good, scores: { policy: 1, utility: 1 } })).toThrowError(failed);
    expect(() => decideVerdict({ ...good, scores: {}, rubric: { ...good.rubric, floors: {} } })).toThrowError(failed);
  });

  test('finds no floor for names of prototype properties', () => {
    expect(decideVerdict({ ...good, scores: { ...good.scores, constructor: 1, toString: 0.9 } }).verdict).toBe(
      'accept',
    );
  });
});

const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const attempts = fc.record({ retries: fc.nat(3), replans: fc.nat(3), reflections: fc.nat(2) });
const judgement: fc.Arbitrary<Judgement> = fc.record({
  scores: fc.record({ policy: fraction, safety: fraction, utility: fraction }),
  rubric: fc.record({
    accept: fraction,
    floors: fc.record({ policy: fraction, safety: fraction }),
    confidence: fraction,
  }),
  failure: fc.option(
    fc.constantFrom<FailureKind>('error', 'timeout', 'denied', 'malformed', 'empty', 'unexpected_evidence'),
  ),
  retryable: fc.boolean(),
  left: attempts,
  exhausted: fc.option(fc.constant('tool_calls')),
  riskHigh: fc.boolean(),
});
/** Thresholds are drawn below the scores, so every score is good enough by construction. */
const accepted: fc.Arbitrary<Judgement> = fc
  .tuple(judgement, fraction, fraction, fraction)
  .map(([input, accept, policy, safety]) => {
    const { scores } = input;
    const lowest = Math.min(...Object.values(scores));
    const floors = { policy: policy * (scores['policy'] ?? 0), safety: safety * (scores['safety'] ?? 0) };
    const rubric = { accept: accept * lowest, confidence: 0, floors };
    return { ...input, rubric, failure: null, exhausted: null };
  });
const raise = fc.record({ name: fc.constantFrom('policy', 'safety', 'utility'), by: fraction });

describe('properties', () => {
  test.prop([judgement])('the same input gives the same verdict and is not modified', (input) => {
    const copy: Judgement = JSON.parse(JSON.stringify(input));
    expect(decideVerdict(deepFreeze(input))).toEqual(decideVerdict(copy));
  });

  test.prop([accepted, raise])('a better score never revokes an acceptance', (input, { name, by }) => {
    expect(decideVerdict(input).verdict).toBe('accept');
    const raised = Math.min(1, (input.scores[name] ?? 0) + by);
    expect(decideVerdict({ ...input, scores: { ...input.scores, [name]: raised } }).verdict).toBe('accept');
  });

  test.prop([judgement, attempts])('fewer attempts never change an escalation', (input, taken) => {
    fc.pre(decideVerdict(input).verdict === 'escalate');
    const left = {
      retries: Math.max(0, input.left.retries - taken.retries),
      replans: Math.max(0, input.left.replans - taken.replans),
      reflections: Math.max(0, input.left.reflections - taken.reflections),
    };
    expect(decideVerdict({ ...input, left }).verdict).toBe('escalate');
  });

  test.prop([judgement])('an exhausted budget never leads to acceptance', (input) => {
    expect(decideVerdict({ ...input, exhausted: 'tool_calls' }).verdict).toBe('escalate');
  });

  test.prop([judgement])('a verdict never uses an attempt that is not left', (input) => {
    const { verdict } = decideVerdict(input);
    if (verdict === 'retry') expect(input.left.retries).toBeGreaterThan(0);
    if (verdict === 'replan') expect(input.left.replans).toBeGreaterThan(0);
    if (verdict === 'accept') expect(input.failure).toBeNull();
    expect(STEP_VERDICTS).toContain(verdict);
  });
});
