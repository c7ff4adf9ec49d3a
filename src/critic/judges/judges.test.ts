/** How one answer is parsed, how several become a score, and which judges may be declared. */
import { describe, expect, test } from 'vitest';
import { JUDGE_OUTCOMES, type JudgeAnswer, type JudgeSpec, type PanelCase } from '../../model/critic/judge.ts';
import { Fault } from '../../model/fault/fault.ts';
import { NO_COST } from '../../model/tool/tool.ts';
import { shownByJudges } from '../judge.ts';
import { rubricWith } from './judge-specs.ts';
import { readOpinion } from './opinion.ts';
import { judges, ruleOnPanel } from './panel.ts';

const SPEC: JudgeSpec = {
  name: 'reader',
  version: '1',
  criteria: { tone: 'It is polite.', facts: 'It is true.' },
  applies: { tools: 'all', run: true, risk_min: 'low' },
  cost: NO_COST,
  safer_cost: null,
};
const ASKED = { judge: 'reader@1', criteria: ['tone', 'facts'] };
const answered = (text: string, judge = 'reader@1'): JudgeAnswer => ({
  judge,
  outcome: 'answered',
  text,
  response: null,
});

describe('an answer', () => {
  test('gets the score of its lowest criterion', () => {
    const opinion = readOpinion(ASKED, answered('{"criteria":{"tone":0.9,"facts":0.4},"reason":"two are wrong"}'));
    expect(opinion).toMatchObject({ score: 0.4, reason: 'two are wrong' });
  });

  test('may be wrapped in prose and a code fence', () => {
    const text = 'Here you are:\n```json\n{"criteria":{"tone":1,"facts":1},"reason":""}\n```\nCheers.';
    expect(readOpinion(ASKED, answered(text))?.score).toBe(1);
  });

  test.each([
    'Splendid!',
    '{"criteria":{"tone":1}}',
    '{"criteria":{"tone":1,"facts":"1"}}',
    '{"criteria":{"tone":1,"facts":1.01}}',
    '{"criteria":{"tone":1,"facts":-0.1}}',
    '{"criteria":[1,1]}',
    '{"score":1}',
    '{"criteria":{"tone":1,"facts":1}',
    '{"verdict":"maybe"}',
    '}{',
    '',
  ])('is unreadable if it is %s', (text) => {
    expect(readOpinion(ASKED, answered(text))).toBeNull();
  });

  test('does not get criteria from the object prototype', () => {
    const asked = { judge: 'reader@1', criteria: ['constructor', 'toString'] };
    expect(readOpinion(asked, answered('{"criteria":{}}'))).toBeNull();
  });

  test.each(JUDGE_OUTCOMES.filter((outcome) => outcome !== 'answered'))(
    "is ignored if the judge's outcome is %s",
    (outcome) => {
      expect(readOpinion(ASKED, { ...answered('{"criteria":{"tone":1,"facts":1}}'), outcome })).toBeNull();
    },
  );
});

describe('several answers', () => {
  const RULE = { quorum: 0.5, spread: 0.3, accept: 0.8 };
  const two = (a: number, b: number): PanelCase => ({
    asked: [
      { judge: 'a@1', criteria: ['q'] },
      { judge: 'b@1', criteria: ['q'] },
    ],
    answers: [answered(`{"criteria":{"q":${a}}}`, 'a@1'), answered(`{"criteria":{"q":${b}}}`, 'b@1')],
  });

  test('get the lowest score and the objections', () => {
    expect(ruleOnPanel(RULE, two(0.9, 0.7))).toMatchObject({
      score: 0.7,
      findings: [{ kind: 'judges_object', detail: 'b@1 gives 0.7' }],
    });
  });

  test('may be apart by exactly the allowed spread, and no further', () => {
    expect(ruleOnPanel(RULE, two(0.9, 0.6)).score).toBe(0.6);
    expect(ruleOnPanel(RULE, two(0.9, 0.59))).toMatchObject({ score: 0, findings: [{ kind: 'judges_disagree' }] });
  });

  test.each([
    ['accept', 'escalate', 'escalate'],
    ['escalate', 'accept', 'escalate'],
    ['retry', 'replan', 'replan'],
    ['accept', 'accept', 'accept'],
  ] as const)('with the verdicts %s and %s result in %s', (first, second, both) => {
    const { asked } = two(1, 1);
    const wants = (judge: string, verdict: string): JudgeAnswer =>
      answered(JSON.stringify({ criteria: { q: 1 }, verdict }), judge);
    const panel = { asked, answers: [wants('a@1', first), wants('b@1', second)] };
    expect(ruleOnPanel(RULE, panel)).toMatchObject({ score: 1, verdict: both });
  });

  test('of judges outside the panel are ignored', () => {
    const { asked } = two(1, 1);
    const strangers = [answered('{"criteria":{"q":1}}', 'c@1'), answered('{"criteria":{"q":1}}', 'd@1')];
    expect(ruleOnPanel(RULE, { asked, answers: strangers }).score).toBe(0);
  });
});

test('a case without judges loses nothing, and no case gains anything', () => {
  const { rubric } = rubricWith('low', [{ spec: SPEC }]);
  expect(judges(rubric).assess({})).toEqual({ score: 1 });
  expect(judges(rubric).assess({ panel: { asked: [], answers: [] } })).toEqual({ score: 1 });
});

test('a goal criterion is met only if all judges find it met', () => {
  const { rubric } = rubricWith('low', [{ spec: SPEC }]);
  const panel = (...scores: readonly number[]): PanelCase => ({
    asked: scores.map((_, place) => ({ judge: `j${place}@1`, criteria: ['goal.0'] })),
    answers: scores.map((score, place) => answered(`{"criteria":{"goal.0":${score}}}`, `j${place}@1`)),
  });
  expect(shownByJudges(rubric, [{ id: 'polite' }], panel(0.9, 0.8))).toEqual({ polite: 'j0@1' });
  expect(shownByJudges(rubric, [{ id: 'polite' }], panel(0.9, 0.69))).toEqual({});
  expect(shownByJudges(rubric, [{ id: 'polite' }], panel(1, 2, 3))).toEqual({});
  expect(shownByJudges(rubric, [], undefined)).toEqual({});
});

describe('rejects a judge that', () => {
  const refusal = (changes: Partial<JudgeSpec>): unknown => {
    try {
      return rubricWith('low', [{ spec: { ...SPEC, ...changes } }]);
    } catch (error) {
      return Fault.is(error) ? [error.code, error.message] : error;
    }
  };

  test('has the name of an evaluator', () => {
    expect(refusal({ name: 'schema' })).toEqual(['input_invalid', expect.stringContaining('judge schema')]);
    expect(refusal({ name: 'judges' })).toEqual(['input_invalid', expect.stringContaining('judge judges')]);
  });

  test('is declared twice', () => {
    expect(() => rubricWith('low', [{ spec: SPEC }, { spec: { ...SPEC, version: '2' } }])).toThrow(/already/);
  });

  test('has a name or a criterion that is not a valid score name', () => {
    expect(refusal({ name: '__proto__' })).toEqual(['input_invalid', expect.stringContaining('lower-case')]);
    expect(refusal({ criteria: { 'goal.0': 'x' } })).toEqual(['input_invalid', expect.stringContaining('lower-case')]);
  });
});
