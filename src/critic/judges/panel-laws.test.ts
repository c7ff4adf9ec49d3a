/** Properties of the panel: any set of answers gives one score, and it is never above the lowest opinion. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import type { JudgeAnswer, PanelCase } from '../../model/critic/judge.ts';
import { RISK_CLASSES } from '../../model/policy/risk.ts';
import { NO_COST } from '../../model/tool/tool.ts';
import { rubricWith } from './judge-specs.ts';
import { type PanelRule, quorumOf, ruleOnPanel, tooFarApart } from './panel.ts';

const score = fc.integer({ min: 0, max: 100 }).map((hundredths) => hundredths / 100);
const answerText = (quality: unknown): string => JSON.stringify({ criteria: { quality }, reason: 'so it is' });
const answer = fc.oneof(
  { weight: 4, arbitrary: score.map((quality) => ({ outcome: 'answered' as const, text: answerText(quality) })) },
  fc.string().map((text) => ({ outcome: 'answered' as const, text })),
  fc.jsonValue().map((value) => ({ outcome: 'answered' as const, text: JSON.stringify(value) })),
  fc
    .oneof(fc.double(), fc.string(), fc.constant(null))
    .map((quality) => ({ outcome: 'answered' as const, text: answerText(quality) })),
  fc
    .constantFrom('failed' as const, 'timed_out' as const, 'refused' as const)
    .map((outcome) => ({ outcome, text: answerText(1) })),
);
const panel = fc.array(answer, { minLength: 1, maxLength: 7 }).map(
  (answers): PanelCase => ({
    asked: answers.map((_, place) => ({ judge: `judge_${place}@1`, criteria: ['quality'] })),
    answers: answers.map((each, place): JudgeAnswer => ({ judge: `judge_${place}@1`, response: null, ...each })),
  }),
);
const rule: fc.Arbitrary<PanelRule> = fc.record({ quorum: score, spread: score, accept: score });

describe('a panel', () => {
  test.prop([rule, panel])(
    'has a score between 0 and the lowest opinion, and findings if it is not accepted',
    (by, c) => {
      const { score: total, opinions, findings } = ruleOnPanel(by, c);
      expect(total).toBeGreaterThanOrEqual(0);
      for (const opinion of opinions) expect(total).toBeLessThanOrEqual(opinion.score);
      if (total < by.accept) expect(findings.length).toBeGreaterThan(0);
    },
  );

  test.prop([rule, panel])('has a score above 0 only with a quorum of opinions within the spread', (by, c) => {
    const { score: total, opinions } = ruleOnPanel(by, c);
    if (total === 0) return;
    expect(opinions.length).toBeGreaterThanOrEqual(quorumOf(by, c.asked.length));
    expect(
      tooFarApart(
        by,
        opinions.map((opinion) => opinion.score),
      ),
    ).toBe(false);
  });

  test.prop([rule, panel])('does not depend on the order of the judges', (by, c) => {
    const turned = { asked: c.asked.toReversed(), answers: c.answers.toReversed() };
    expect(ruleOnPanel(by, turned).score).toBe(ruleOnPanel(by, c).score);
  });

  test.prop([rule, score, score, panel])('never gets a higher score from a stricter rule', (by, more, less, c) => {
    const quorum = Math.min(1, by.quorum + more);
    const stricter = { ...by, quorum, spread: Math.max(0, by.spread - less) };
    expect(ruleOnPanel(stricter, c).score).toBeLessThanOrEqual(ruleOnPanel(by, c).score);
  });

  test.prop([rule, panel])('without answers gets 0 and a low-confidence finding', (by, c) => {
    const silent = { ...c, answers: c.answers.map((each) => ({ ...each, outcome: 'failed' as const })) };
    expect(ruleOnPanel(by, silent)).toMatchObject({ score: 0, findings: [{ kind: 'low_confidence' }] });
  });
});

test('a higher risk class never lowers the quorum or the threshold, or widens the spread', () => {
  const spec = {
    name: 'reader',
    version: '1',
    criteria: { quality: 'It is good.' },
    applies: { tools: 'all' as const, run: true, risk_min: 'low' as const },
    cost: NO_COST,
    safer_cost: null,
  };
  const rubrics = RISK_CLASSES.map((risk) => rubricWith(risk, [{ spec }]).rubric);
  for (const [place, rubric] of rubrics.entries()) {
    const before = rubrics[place - 1];
    expect(rubric.evaluators).toContain('judges@1');
    if (before?.judges === undefined || rubric.judges === undefined) continue;
    expect(rubric.judges.quorum).toBeGreaterThanOrEqual(before.judges.quorum);
    expect(rubric.judges.spread).toBeLessThanOrEqual(before.judges.spread);
    expect(rubric.accept).toBeGreaterThanOrEqual(before.accept);
  }
});
