/** Proves the verdict on a step: every rule by example, and the laws that hold for any scores and any budgets. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { deepFreeze } from '../model/freeze.ts';
import { STEP_VERDICTS } from '../model/verdict.ts';
import { type Decision, decide, type FailureKind, type Judgement } from './decide.ts';

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

const brief = ({ verdict, reason }: Decision): [string, string] => [verdict, reason.code];

describe('accept', () => {
  test('when every floor is met and every score reaches the threshold', () => {
    expect(decide(good)).toEqual({ verdict: 'accept', reason: { code: 'accepted', detail: {} } });
    expect(decide({ ...good, scores: { policy: 0.9, safety: 0.9, utility: 0.8 } }).verdict).toBe('accept');
  });

  test('does not need anything left to try', () => {
    expect(decide({ ...good, left: NOTHING_LEFT }).verdict).toBe('accept');
  });
});

describe('what protects comes first', () => {
  test('a score below its floor escalates, however good the others are', () => {
    const scores = { policy: 0.89, safety: 1, utility: 1 };
    expect(decide({ ...good, scores })).toEqual({
      verdict: 'escalate',
      reason: { code: 'below_floor', detail: { unmet: { policy: 0.89 } } },
    });
    expect(brief(decide({ ...good, scores, failure: 'timeout' }))).toEqual(['escalate', 'below_floor']);
    expect(brief(decide({ ...good, scores, exhausted: 'tool_calls' }))).toEqual(['escalate', 'below_floor']);
  });

  test('a budget that runs out mid-step escalates and names the dimension', () => {
    const escalate = {
      verdict: 'escalate',
      reason: { code: 'budget_exhausted', detail: { dimension: 'output_tokens' } },
    };
    expect(decide({ ...good, exhausted: 'output_tokens' })).toEqual(escalate);
    expect(decide({ ...good, exhausted: 'output_tokens', failure: 'error' })).toEqual(escalate);
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
    expect(brief(decide({ ...good, failure }))).toEqual(first[failure]);
  });

  test('a call that may not be repeated goes back to the planner', () => {
    expect(brief(decide({ ...good, failure: 'timeout', retryable: false }))).toEqual(['replan', 'step_timeout']);
  });

  test('no retry left goes back to the planner and says so', () => {
    const left = { retries: 0, replans: 1, reflections: 1 };
    expect(decide({ ...good, failure: 'error', left })).toEqual({
      verdict: 'replan',
      reason: { code: 'retry_budget_exhausted', detail: { failure: 'error' } },
    });
  });

  test('nothing left to try escalates with the cause', () => {
    expect(decide({ ...good, failure: 'error', left: NOTHING_LEFT })).toEqual({
      verdict: 'escalate',
      reason: { code: 'replan_budget_exhausted', detail: { cause: 'retry_budget_exhausted', failure: 'error' } },
    });
    expect(decide({ ...good, failure: 'denied', left: NOTHING_LEFT }).reason).toEqual({
      code: 'replan_budget_exhausted',
      detail: { cause: 'permission_denied', failure: 'denied' },
    });
  });

  test.each(['malformed', 'empty', 'verification_failed'] as const)('%s is never mended where risk is high', (kind) => {
    expect(brief(decide({ ...good, failure: kind, riskHigh: true }))).toEqual(['escalate', 'tool_result_invalid']);
  });

  test('a transient failure is retried at any risk', () => {
    expect(brief(decide({ ...good, failure: 'timeout', riskHigh: true }))).toEqual(['retry', 'step_timeout']);
  });

  test('a failed step need not be scored', () => {
    expect(brief(decide({ ...good, scores: {}, failure: 'timeout' }))).toEqual(['retry', 'step_timeout']);
  });
});

describe('after a low score', () => {
  const scored = (utility: number): Judgement => ({ ...good, scores: { policy: 1, safety: 1, utility } });

  test('too low is planned around', () => {
    expect(decide(scored(0.79))).toEqual({
      verdict: 'replan',
      reason: { code: 'below_accept', detail: { unmet: { utility: 0.79 } } },
    });
    expect(decide({ ...scored(0.79), left: { ...good.left, replans: 0 } })).toEqual({
      verdict: 'escalate',
      reason: { code: 'replan_budget_exhausted', detail: { cause: 'below_accept', unmet: { utility: 0.79 } } },
    });
  });

  test('too low to rely on is reflected upon once, then a person looks', () => {
    expect(brief(decide(scored(0.59)))).toEqual(['replan', 'low_confidence']);
    expect(decide({ ...scored(0.59), left: { ...good.left, reflections: 0 } })).toEqual({
      verdict: 'escalate',
      reason: { code: 'low_confidence', detail: { unmet: { utility: 0.59 } } },
    });
    expect(brief(decide(scored(0.6)))).toEqual(['replan', 'below_accept']);
  });
});

describe('what an evaluator may not say', () => {
  test.each([Number.NaN, Number.POSITIVE_INFINITY, -0.01, 1.01, '1' as unknown as number])('a score of %s', (score) => {
    expect(() => decide({ ...good, scores: { ...good.scores, utility: score } })).toThrowError(
      expect.objectContaining({ code: 'evaluator_failed' }),
    );
  });

  test('nothing at all, or nothing about a floor', () => {
    const failed = expect.objectContaining({ code: 'evaluator_failed' });
    expect(() => decide({ ...good, scores: { policy: 1, utility: 1 } })).toThrowError(failed);
    expect(() => decide({ ...good, scores: {}, rubric: { ...good.rubric, floors: {} } })).toThrowError(failed);
  });

  test('names that reach into a prototype have no floor', () => {
    expect(decide({ ...good, scores: { ...good.scores, constructor: 1, toString: 0.9 } }).verdict).toBe('accept');
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
/** Thresholds drawn below the scores, so that the work is good enough by construction. */
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

describe('laws', () => {
  test.prop([judgement])('the same data gives the same verdict, and is not touched', (input) => {
    const copy: Judgement = JSON.parse(JSON.stringify(input));
    expect(decide(deepFreeze(input))).toEqual(decide(copy));
  });

  test.prop([accepted, raise])('a better score never takes an acceptance away', (input, { name, by }) => {
    expect(decide(input).verdict).toBe('accept');
    const raised = Math.min(1, (input.scores[name] ?? 0) + by);
    expect(decide({ ...input, scores: { ...input.scores, [name]: raised } }).verdict).toBe('accept');
  });

  test.prop([judgement, attempts])('fewer attempts never turn an escalation into anything else', (input, taken) => {
    fc.pre(decide(input).verdict === 'escalate');
    const left = {
      retries: Math.max(0, input.left.retries - taken.retries),
      replans: Math.max(0, input.left.replans - taken.replans),
      reflections: Math.max(0, input.left.reflections - taken.reflections),
    };
    expect(decide({ ...input, left }).verdict).toBe('escalate');
  });

  test.prop([judgement])('running out of budget never leads to acceptance', (input) => {
    expect(decide({ ...input, exhausted: 'tool_calls' }).verdict).toBe('escalate');
  });

  test.prop([judgement])('a verdict never spends what is not there', (input) => {
    const { verdict } = decide(input);
    if (verdict === 'retry') expect(input.left.retries).toBeGreaterThan(0);
    if (verdict === 'replan') expect(input.left.replans).toBeGreaterThan(0);
    if (verdict === 'accept') expect(input.failure).toBeNull();
    expect(STEP_VERDICTS).toContain(verdict);
  });
});
