/** Proves how assessments become scores, score cards and findings, and that an unjudged case is never accepted. */
import { describe, expect, test } from 'vitest';
import { refundCase, runCase, stepCase } from '../../test/critic/cases.ts';
import type { RunCase, StepCase } from '../model/critic/judged-case.ts';
import type { Rubric } from '../model/critic/rubric.ts';
import type { Finding } from '../model/critic/verdict.ts';
import { type Assessment, type Evaluator, evaluatorTable } from './evaluators/evaluator.ts';
import { standardEvaluators } from './evaluators/standard-evaluators.ts';
import { scoreRun, scoreStep } from './judge.ts';
import { rubricFor } from './judges/judge-specs.ts';

const standard = standardEvaluators();
const LENIENT = rubricFor('low');
const STRICT = rubricFor('high');

const rubric = (evaluators: readonly string[], over: Partial<Rubric> = {}): Rubric => ({
  name: 'own',
  version: '1',
  evaluators,
  accept: 0.8,
  floors: {},
  confidence: 0.6,
  ...over,
});
const gives = (name: string, assessment: unknown, feeds?: string): Evaluator<StepCase> => ({
  name,
  version: '1',
  ...(feeds === undefined ? {} : { feeds }),
  assess: () => assessment as Assessment,
});
const judgeWith = (evaluators: readonly Evaluator<StepCase>[], over: Partial<Rubric> = {}, c: StepCase = stepCase()) =>
  scoreStep(
    rubric(
      evaluators.map(({ name }) => `${name}@1`),
      over,
    ),
    evaluatorTable(evaluators, []),
    c,
  );

describe('a step', () => {
  test('gets full scores, one line per evaluator and no findings if it went well', () => {
    const { scores, criteria, findings } = scoreStep(LENIENT, standard, stepCase());
    expect(scores).toEqual({ policy: 1, utility: 1 });
    expect(findings).toEqual([]);
    expect(criteria).toEqual(
      ['policy', 'safety', 'grounding', 'schema', 'expectation', 'assumptions', 'sources', 'cost', 'attention'].map(
        (name) => ({
          criterion: `${name}@1`,
          score: 1,
          met: true,
        }),
      ),
    );
  });

  test('has its declared criteria on the score card', () => {
    const criteria = [
      { id: 'found', evidence: 'order' },
      { id: 'paid', evidence: 'payment' },
    ];
    expect(scoreStep(LENIENT, standard, stepCase({}, { criteria })).criteria.slice(-2)).toEqual([
      { criterion: 'found', score: 1, met: true },
      { criterion: 'paid', score: 0, met: false },
    ]);
  });

  test('gets utility 0 if one evaluator that feeds utility gives 0', () => {
    const { scores, findings } = scoreStep(LENIENT, standard, stepCase({}, {}, { supplied: ['invoice'] }));
    expect(scores).toEqual({ policy: 1, utility: 0 });
    expect(findings.map(({ kind }) => kind)).toEqual(['unexpected_evidence']);
  });

  test('breaks the policy floor if it is unsafe or ungrounded, however useful it is', () => {
    const watched = standardEvaluators([
      { name: 'all', version: '1', detect: () => ({ severity: 'high', detail: 'no' }) },
    ]);
    expect(scoreStep(LENIENT, watched, stepCase()).scores).toEqual({ policy: 0, utility: 1 });
    expect(scoreStep(LENIENT, standard, stepCase({}, {}, { unresolved: ['ev_9'] })).scores).toEqual({
      policy: 0,
      utility: 1,
    });
  });

  test('is judged by more evaluators under the strict rubric', () => {
    expect(scoreStep(LENIENT, standard, refundCase({ output: {} })).scores['utility']).toBe(0.95);
    expect(scoreStep(STRICT, standard, refundCase({ output: {} })).scores['utility']).toBe(0);
  });
});

describe('scores', () => {
  test('are multiplied if several evaluators feed one score; an evaluator feeds its own score by default', () => {
    const judged = judgeWith([
      gives('tone', { score: 0.7 }),
      gives('a', { score: 0.9 }, 'worth'),
      gives('b', { score: 0.9 }, 'worth'),
    ]);
    expect(judged.scores).toEqual({ tone: 0.7, worth: 0.81 });
  });

  test('are rounded down, so that none is lifted over a threshold', () => {
    expect(judgeWith([gives('tone', { score: 0.59999 })]).scores).toEqual({ tone: 0.5999 });
    expect(judgeWith([gives('tone', { score: -0 })]).scores).toEqual({ tone: 0 });
  });

  test('are compared with the floor, if there is one, to mark a line as met', () => {
    const low = gives('tone', { score: 0.9, note: 'curt' });
    expect(judgeWith([low]).criteria).toEqual([{ criterion: 'tone@1', score: 0.9, met: true, note: 'curt' }]);
    expect(judgeWith([low], { floors: { tone: 1 } }).criteria[0]?.met).toBe(false);
  });
});

describe('low confidence', () => {
  const doubtful = (score: number) => gives('tone', { score });

  test('is reported below the confidence threshold, not at it', () => {
    expect(judgeWith([doubtful(0.59)]).findings).toEqual([
      { kind: 'low_confidence', severity: 'high', detail: 'tone is 0.59, below 0.6' },
    ]);
    expect(judgeWith([doubtful(0.6)]).findings).toEqual([]);
  });

  test('is reported for each score that is too low, and for no other', () => {
    const asked = [doubtful(0.2), gives('worth', { score: 0.8 }), gives('care', { score: 0.4 })];
    expect(judgeWith(asked).findings.map(({ detail }) => detail)).toEqual([
      'tone is 0.2, below 0.6',
      'care is 0.4, below 0.6',
    ]);
  });

  test('is not reported if something else explains the score', () => {
    const conflict = { kind: 'source_conflict', severity: 'low', detail: 'x' };
    expect(judgeWith([gives('tone', { score: 0, findings: [conflict] })]).findings).toEqual([conflict]);
    expect(judgeWith([doubtful(0)], { floors: { tone: 1 } }).findings).toEqual([]);
    expect(judgeWith([doubtful(0)], {}, stepCase({ outcome: 'timeout', output: null })).findings).toEqual([]);
  });
});

describe('a case that cannot be judged fails and names the cause:', () => {
  const broken: Evaluator<StepCase> = {
    name: 'tone',
    version: '1',
    assess: () => {
      throw new RangeError('too loud');
    },
  };

  test('an evaluator that throws', () => {
    expect(() => judgeWith([broken])).toThrowError(
      expect.objectContaining({ code: 'evaluator_failed', message: 'evaluator tone@1 failed: too loud' }),
    );
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -0.1, 1.0001, '1', null, undefined, Symbol('one')])(
    'an evaluator whose score is %s',
    (score) => {
      expect(() => judgeWith([gives('tone', { score })])).toThrowError(
        expect.objectContaining({ code: 'evaluator_failed', message: expect.stringContaining('tone@1') }),
      );
    },
  );

  test.each([
    ['no answer', undefined],
    ['findings that are no list', { score: 1, findings: 'none' }],
    ['a finding of an unknown kind', { score: 1, findings: [{ kind: 'gossip', severity: 'high', detail: '' }] }],
  ])('an evaluator with %s', (_, answer) => {
    expect(() => judgeWith([gives('tone', answer)])).toThrowError(
      expect.objectContaining({ code: 'evaluator_failed' }),
    );
  });

  test('an evaluator version that does not exist', () => {
    expect(() => scoreStep(rubric(['policy@2']), standard, stepCase())).toThrowError(
      expect.objectContaining({
        code: 'evaluator_failed',
        message: 'rubric own@1 names policy@2, which does not exist',
      }),
    );
    expect(() => scoreRun(rubric(['goal@7']), standard, runCase())).toThrowError(
      expect.objectContaining({ code: 'evaluator_failed' }),
    );
  });

  test('a floor without a score', () => {
    expect(() => scoreRun(rubric(['goal@1'], { floors: { tone: 1 } }), standard, runCase({ steps: [] }))).toThrowError(
      expect.objectContaining({ code: 'evaluator_failed', message: 'nothing scored tone, which has a floor' }),
    );
  });
});

describe('a run', () => {
  test('has its own scores, and each criterion with its evidence', () => {
    const judged = scoreRun(LENIENT, standard, runCase());
    expect(judged.scores).toEqual({ policy: 1, utility: 1 });
    expect(judged.acceptance).toEqual([{ id: 'refunded', evidence: 'ev_3' }]);
    expect(judged.unmet).toEqual([]);
    expect(judged.findings).toEqual([]);
    expect(judged.criteria.map(({ criterion }) => criterion)).toEqual([
      'grounding@1',
      'sources@1',
      'goal@1',
      'steps@1',
    ]);
  });

  test('lists unmet criteria if it is unfinished, without a low-confidence finding', () => {
    const judged = scoreRun(LENIENT, standard, runCase({ evidence: {} }));
    expect(judged).toMatchObject({
      scores: { utility: 0 },
      acceptance: [{ id: 'refunded', evidence: null }],
      unmet: ['refunded'],
      findings: [],
    });
  });

  test('gets a low-confidence finding if it is finished with a low score', () => {
    const steps = [{ step_id: 's1', scores: { policy: 1, utility: 0.5 } }];
    expect(scoreRun(LENIENT, standard, runCase({ steps })).findings).toEqual([
      { kind: 'low_confidence', severity: 'high', detail: 'utility is 0.5, below 0.6' },
    ]);
  });

  test('breaks a floor if one of its steps breaks it or lacks the score', () => {
    const fine = { step_id: 's1', scores: { policy: 1, utility: 1 } };
    const worse = { step_id: 's2', scores: { policy: 0.5, utility: 1 } };
    const unjudged = { step_id: 's3', scores: { utility: 1 } };
    const policyOf = (...steps: RunCase['steps']) => scoreRun(LENIENT, standard, runCase({ steps })).scores['policy'];
    expect([policyOf(fine), policyOf(fine, worse), policyOf(fine, unjudged), policyOf()]).toEqual([1, 0.5, 0, 1]);
  });

  test('gets policy 0 if it claims something unobserved', () => {
    const claims = ['The price is 4', 'The account is open', 'The call succeeded'].map((statement) => ({
      statement,
      observation: null,
    }));
    const judged = scoreRun(LENIENT, standard, runCase({ claims }));
    expect(judged.scores['policy']).toBe(0);
    expect(judged.findings.map(({ kind }) => kind)).toEqual(claims.map(() => 'grounding_violation'));
  });
});

describe('a flawless case', () => {
  test('shares one frozen judgement, which later cases cannot change', () => {
    const first = scoreStep(LENIENT, standard, stepCase());
    const declared = scoreStep(LENIENT, standard, stepCase({}, { criteria: [{ id: 'paid', evidence: 'payment' }] }));
    const doubtful = scoreStep(LENIENT, standard, stepCase({}, {}, { supplied: ['invoice'] }));
    const again = scoreStep(LENIENT, standard, stepCase());
    expect(again).toBe(first);
    expect([first, first.scores, first.criteria, first.criteria[0], first.findings].every(Object.isFrozen)).toBe(true);
    expect(declared.criteria).toHaveLength(first.criteria.length + 1);
    expect(doubtful.findings).toHaveLength(1);
    expect(again).toEqual({ scores: { policy: 1, utility: 1 }, criteria: first.criteria, findings: [] });
  });

  test('is judged by the current rubric, even after another rubric was used', () => {
    const ids = (by: Rubric) => scoreStep(by, standard, stepCase()).criteria.map(({ criterion }) => criterion);
    const [lenient, strict] = [ids(LENIENT), ids(STRICT)];
    expect(strict).toContain('receipt@1');
    expect([ids(LENIENT), ids(STRICT)]).toEqual([lenient, strict]);
  });

  test('keeps its own scores when the run is held to the scores of its steps', () => {
    const input = { criteria: [], steps: [{ step_id: 's1', scores: { policy: 0, utility: 1 } }] };
    expect(scoreRun(LENIENT, standard, runCase(input)).scores['policy']).toBe(0);
    expect(scoreRun(LENIENT, standard, runCase({ criteria: [] })).scores['policy']).toBe(1);
  });
});

test('keeps notes, findings and verdicts that come with a full score', () => {
  const noted = { score: 1, note: 'as asked' };
  const harm: Finding = { kind: 'unsafe', severity: 'low', detail: 'seen' };
  expect(judgeWith([gives('tone', noted)]).criteria).toEqual([{ criterion: 'tone@1', met: true, ...noted }]);
  expect(judgeWith([gives('tone', { score: 1, findings: [harm] })]).findings).toEqual([harm]);
  expect(judgeWith([gives('tone', { score: 1, verdict: 'replan' })]).verdict).toBe('replan');
});

test('reports the first failing evaluator in the order of the rubric', () => {
  const fails: Evaluator<StepCase> = {
    name: 'fails',
    version: '1',
    assess: () => {
      throw new Error('first');
    },
  };
  const table = evaluatorTable([fails], []);
  expect(() => scoreStep(rubric(['fails@1', 'absent@1']), table, stepCase())).toThrow(/fails@1 failed: first/);
  expect(() => scoreStep(rubric(['absent@1', 'fails@1']), table, stepCase())).toThrow(/names absent@1/);
});

describe('evaluators that return one shared object', () => {
  const shared = { score: 1, note: '', findings: [] as Finding[] };
  const returning = (name: string, change: Partial<typeof shared>): Evaluator<StepCase> => ({
    name,
    version: '1',
    assess: () => Object.assign(shared, change),
  });

  test('are each recorded with the values they returned', () => {
    const harm: Finding = { kind: 'unsafe', severity: 'high', detail: 'seen' };
    const objecting = returning('objecting', { score: 0, note: 'no', findings: [harm] });
    const content = returning('content', { score: 1, note: 'fine' });
    const clearing: Evaluator<StepCase> = {
      ...gives('clearing', null),
      assess: () => {
        shared.findings.length = 0;
        return { score: 1 };
      },
    };
    const { scores, criteria, findings } = judgeWith([objecting, clearing, content]);
    expect(scores).toEqual({ objecting: 0, clearing: 1, content: 1 });
    expect(criteria.map(({ score, note }) => [score, note])).toEqual([
      [0, 'no'],
      [1, undefined],
      [1, 'fine'],
    ]);
    expect(findings).toEqual([harm]);
  });

  test('cannot invalidate a score after it was checked', () => {
    const first = returning('first', { score: 0.5, findings: [] });
    const second: Evaluator<StepCase> = {
      ...gives('second', { score: 1 }),
      assess: () => {
        shared.score = Number.NaN;
        return { score: 1 };
      },
    };
    expect(judgeWith([first, second]).scores['first']).toBe(0.5);
  });
});
