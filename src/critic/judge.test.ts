/** Proves how evaluators become scores, cards and findings, and that what cannot be judged is never accepted. */
import { describe, expect, test } from 'vitest';
import { refundCase, runCase, stepCase } from '../../test/critic/cases.ts';
import type { Finding } from '../model/finding.ts';
import type { Rubric } from '../model/rubric.ts';
import type { Assessment, Evaluator, RunCase, StepCase } from './evaluator.ts';
import { evaluatorTable } from './evaluator-table.ts';
import { judgeRun, judgeStep } from './judge.ts';
import { rubricFor } from './rubrics.ts';
import { standardEvaluators } from './standard-evaluators.ts';

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
  judgeStep(
    rubric(
      evaluators.map(({ name }) => `${name}@1`),
      over,
    ),
    evaluatorTable(evaluators, []),
    c,
  );

describe('a step', () => {
  test('that went well has full scores, a line for every evaluator asked, and nothing to report', () => {
    const { scores, criteria, findings } = judgeStep(LENIENT, standard, stepCase());
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

  test('has its declared criteria on the card as well', () => {
    const criteria = [
      { id: 'found', evidence: 'order' },
      { id: 'paid', evidence: 'payment' },
    ];
    expect(judgeStep(LENIENT, standard, stepCase({}, { criteria })).criteria.slice(-2)).toEqual([
      { criterion: 'found', score: 1, met: true },
      { criterion: 'paid', score: 0, met: false },
    ]);
  });

  test('is worth nothing if one of the evaluators of its worth says so', () => {
    const { scores, findings } = judgeStep(LENIENT, standard, stepCase({}, {}, { supplied: ['invoice'] }));
    expect(scores).toEqual({ policy: 1, utility: 0 });
    expect(findings.map(({ kind }) => kind)).toEqual(['unexpected_evidence']);
  });

  test('breaks the floor of policy with a danger or an ungrounded result, however useful it is', () => {
    const watched = standardEvaluators([
      { name: 'all', version: '1', detect: () => ({ severity: 'high', detail: 'no' }) },
    ]);
    expect(judgeStep(LENIENT, watched, stepCase()).scores).toEqual({ policy: 0, utility: 1 });
    expect(judgeStep(LENIENT, standard, stepCase({}, {}, { unresolved: ['ev_9'] })).scores).toEqual({
      policy: 0,
      utility: 1,
    });
  });

  test('is judged by more evaluators under the strict rubric', () => {
    expect(judgeStep(LENIENT, standard, refundCase({ output: {} })).scores['utility']).toBe(0.95);
    expect(judgeStep(STRICT, standard, refundCase({ output: {} })).scores['utility']).toBe(0);
  });
});

describe('scores', () => {
  test('an evaluator feeds its own score unless it says otherwise; contributions are multiplied', () => {
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

  test('a line of the card is met against the floor where there is one', () => {
    const low = gives('tone', { score: 0.9, note: 'curt' });
    expect(judgeWith([low]).criteria).toEqual([{ criterion: 'tone@1', score: 0.9, met: true, note: 'curt' }]);
    expect(judgeWith([low], { floors: { tone: 1 } }).criteria[0]?.met).toBe(false);
  });
});

describe('doubt', () => {
  const doubtful = (score: number) => gives('tone', { score });

  test('a score below the confidence threshold is found, one on it is not', () => {
    expect(judgeWith([doubtful(0.59)]).findings).toEqual([
      { kind: 'low_confidence', severity: 'high', detail: 'tone is 0.59, below 0.6' },
    ]);
    expect(judgeWith([doubtful(0.6)]).findings).toEqual([]);
  });

  test('is said of each score that is too low, and of no other', () => {
    const asked = [doubtful(0.2), gives('worth', { score: 0.8 }), gives('care', { score: 0.4 })];
    expect(judgeWith(asked).findings.map(({ detail }) => detail)).toEqual([
      'tone is 0.2, below 0.6',
      'care is 0.4, below 0.6',
    ]);
  });

  test('is silent where something else explains the score', () => {
    const conflict = { kind: 'source_conflict', severity: 'low', detail: 'x' };
    expect(judgeWith([gives('tone', { score: 0, findings: [conflict] })]).findings).toEqual([conflict]);
    expect(judgeWith([doubtful(0)], { floors: { tone: 1 } }).findings).toEqual([]);
    expect(judgeWith([doubtful(0)], {}, stepCase({ outcome: 'timeout', output: null })).findings).toEqual([]);
  });
});

describe('what cannot be judged is refused by name', () => {
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

  test('an evaluator that the rubric names in a version nobody has', () => {
    expect(() => judgeStep(rubric(['policy@2']), standard, stepCase())).toThrowError(
      expect.objectContaining({
        code: 'evaluator_failed',
        message: 'rubric own@1 names policy@2, which does not exist',
      }),
    );
    expect(() => judgeRun(rubric(['goal@7']), standard, runCase())).toThrowError(
      expect.objectContaining({ code: 'evaluator_failed' }),
    );
  });

  test('a floor that nothing scored', () => {
    expect(() => judgeRun(rubric(['goal@1'], { floors: { tone: 1 } }), standard, runCase({ steps: [] }))).toThrowError(
      expect.objectContaining({ code: 'evaluator_failed', message: 'nothing scored tone, which has a floor' }),
    );
  });
});

describe('a run', () => {
  test('has scores of its own, and each criterion with the evidence that shows it', () => {
    const judged = judgeRun(LENIENT, standard, runCase());
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

  test('that is unfinished says what is missing, and does not call that doubt', () => {
    const judged = judgeRun(LENIENT, standard, runCase({ evidence: {} }));
    expect(judged).toMatchObject({
      scores: { utility: 0 },
      acceptance: [{ id: 'refunded', evidence: null }],
      unmet: ['refunded'],
      findings: [],
    });
  });

  test('that is finished and poor is doubted', () => {
    const steps = [{ step_id: 's1', scores: { policy: 1, utility: 0.5 } }];
    expect(judgeRun(LENIENT, standard, runCase({ steps })).findings).toEqual([
      { kind: 'low_confidence', severity: 'high', detail: 'utility is 0.5, below 0.6' },
    ]);
  });

  test('has broken a floor if one of its steps has, or if one was never held against it', () => {
    const fine = { step_id: 's1', scores: { policy: 1, utility: 1 } };
    const worse = { step_id: 's2', scores: { policy: 0.5, utility: 1 } };
    const unjudged = { step_id: 's3', scores: { utility: 1 } };
    const policyOf = (...steps: RunCase['steps']) => judgeRun(LENIENT, standard, runCase({ steps })).scores['policy'];
    expect([policyOf(fine), policyOf(fine, worse), policyOf(fine, unjudged), policyOf()]).toEqual([1, 0.5, 0, 1]);
  });

  test('that claims what nobody observed may not stand', () => {
    const claims = ['The price is 4', 'The account is open', 'The call succeeded'].map((statement) => ({
      statement,
      observation: null,
    }));
    const judged = judgeRun(LENIENT, standard, runCase({ claims }));
    expect(judged.scores['policy']).toBe(0);
    expect(judged.findings.map(({ kind }) => kind)).toEqual(claims.map(() => 'grounding_violation'));
  });
});

describe('a case that nobody has anything against', () => {
  test('has one judgement, which no later case can change', () => {
    const first = judgeStep(LENIENT, standard, stepCase());
    const declared = judgeStep(LENIENT, standard, stepCase({}, { criteria: [{ id: 'paid', evidence: 'payment' }] }));
    const doubtful = judgeStep(LENIENT, standard, stepCase({}, {}, { supplied: ['invoice'] }));
    const again = judgeStep(LENIENT, standard, stepCase());
    expect(again).toBe(first);
    expect([first, first.scores, first.criteria, first.criteria[0], first.findings].every(Object.isFrozen)).toBe(true);
    expect(declared.criteria).toHaveLength(first.criteria.length + 1);
    expect(doubtful.findings).toHaveLength(1);
    expect(again).toEqual({ scores: { policy: 1, utility: 1 }, criteria: first.criteria, findings: [] });
  });

  test('is judged by the rubric at hand, also where another one came before it', () => {
    const ids = (by: Rubric) => judgeStep(by, standard, stepCase()).criteria.map(({ criterion }) => criterion);
    const [lenient, strict] = [ids(LENIENT), ids(STRICT)];
    expect(strict).toContain('receipt@1');
    expect([ids(LENIENT), ids(STRICT)]).toEqual([lenient, strict]);
  });

  test('keeps its own scores where the run as a whole is held to those of its steps', () => {
    const given = { criteria: [], steps: [{ step_id: 's1', scores: { policy: 0, utility: 1 } }] };
    expect(judgeRun(LENIENT, standard, runCase(given)).scores['policy']).toBe(0);
    expect(judgeRun(LENIENT, standard, runCase({ criteria: [] })).scores['policy']).toBe(1);
  });
});

test('a full score with something to say is not the same as nothing to say', () => {
  const noted = { score: 1, note: 'as asked' };
  const harm: Finding = { kind: 'unsafe', severity: 'low', detail: 'seen' };
  expect(judgeWith([gives('tone', noted)]).criteria).toEqual([{ criterion: 'tone@1', met: true, ...noted }]);
  expect(judgeWith([gives('tone', { score: 1, findings: [harm] })]).findings).toEqual([harm]);
  expect(judgeWith([gives('tone', { score: 1, verdict: 'replan' })]).verdict).toBe('replan');
});

test('an evaluator that fails before one that does not exist is the one that is told of', () => {
  const fails: Evaluator<StepCase> = {
    name: 'fails',
    version: '1',
    assess: () => {
      throw new Error('first');
    },
  };
  const table = evaluatorTable([fails], []);
  expect(() => judgeStep(rubric(['fails@1', 'absent@1']), table, stepCase())).toThrow(/fails@1 failed: first/);
  expect(() => judgeStep(rubric(['absent@1', 'fails@1']), table, stepCase())).toThrow(/names absent@1/);
});

describe('evaluators that answer with one and the same object', () => {
  const shared = { score: 1, note: '', findings: [] as Finding[] };
  const says = (name: string, change: Partial<typeof shared>): Evaluator<StepCase> => ({
    name,
    version: '1',
    assess: () => Object.assign(shared, change),
  });

  test('are each taken at what it said, whoever fills it after them', () => {
    const harm: Finding = { kind: 'unsafe', severity: 'high', detail: 'seen' };
    const objecting = says('objecting', { score: 0, note: 'no', findings: [harm] });
    const content = says('content', { score: 1, note: 'fine' });
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

  test('cannot make a score of one that is none after it was looked at', () => {
    const first = says('first', { score: 0.5, findings: [] });
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
