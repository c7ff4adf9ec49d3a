/** Laws of the panel: whatever judges say, and however many of them, there is one score, and it is never a generous one. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import type { JudgeAnswer, PanelCase } from '../../model/judge.ts';
import { RISK_CLASSES } from '../../model/risk.ts';
import { NO_COST } from '../../model/tool.ts';
import { rubricWith } from './judge-specs.ts';
import { type PanelRule, quorumOf, ruleOnPanel, tooFarApart } from './rule-on-panel.ts';

const score = fc.integer({ min: 0, max: 100 }).map((hundredths) => hundredths / 100);
const said = (quality: unknown): string => JSON.stringify({ criteria: { quality }, reason: 'so it is' });
const answer = fc.oneof(
  { weight: 4, arbitrary: score.map((quality) => ({ outcome: 'answered' as const, text: said(quality) })) },
  fc.string().map((text) => ({ outcome: 'answered' as const, text })),
  fc.jsonValue().map((value) => ({ outcome: 'answered' as const, text: JSON.stringify(value) })),
  fc
    .oneof(fc.double(), fc.string(), fc.constant(null))
    .map((quality) => ({ outcome: 'answered' as const, text: said(quality) })),
  fc
    .constantFrom('failed' as const, 'timed_out' as const, 'refused' as const)
    .map((outcome) => ({ outcome, text: said(1) })),
);
const panel = fc.array(answer, { minLength: 1, maxLength: 7 }).map(
  (answers): PanelCase => ({
    asked: answers.map((_, place) => ({ judge: `judge_${place}@1`, criteria: ['quality'] })),
    answers: answers.map((given, place): JudgeAnswer => ({ judge: `judge_${place}@1`, response: null, ...given })),
  }),
);
const rule: fc.Arbitrary<PanelRule> = fc.record({ quorum: score, spread: score, accept: score });

describe('a panel', () => {
  test.prop([rule, panel])(
    'has a score between nothing and the lowest opinion, and says why it is not enough',
    (by, c) => {
      const { score: given, opinions, findings } = ruleOnPanel(by, c);
      expect(given).toBeGreaterThanOrEqual(0);
      for (const opinion of opinions) expect(given).toBeLessThanOrEqual(opinion.score);
      if (given < by.accept) expect(findings.length).toBeGreaterThan(0);
    },
  );

  test.prop([rule, panel])('is relied on only by a quorum that is not too far apart', (by, c) => {
    const { score: given, opinions } = ruleOnPanel(by, c);
    if (given === 0) return;
    expect(opinions.length).toBeGreaterThanOrEqual(quorumOf(by, c.asked.length));
    expect(
      tooFarApart(
        by,
        opinions.map((opinion) => opinion.score),
      ),
    ).toBe(false);
  });

  test.prop([rule, panel])('does not depend on the order in which it is asked', (by, c) => {
    const turned = { asked: c.asked.toReversed(), answers: c.answers.toReversed() };
    expect(ruleOnPanel(by, turned).score).toBe(ruleOnPanel(by, c).score);
  });

  test.prop([rule, score, score, panel])('never gets more from a stricter rule', (by, more, less, c) => {
    const quorum = Math.min(1, by.quorum + more);
    const stricter = { ...by, quorum, spread: Math.max(0, by.spread - less) };
    expect(ruleOnPanel(stricter, c).score).toBeLessThanOrEqual(ruleOnPanel(by, c).score);
  });

  test.prop([rule, panel])('that nobody answered has said nothing', (by, c) => {
    const silent = { ...c, answers: c.answers.map((given) => ({ ...given, outcome: 'failed' as const })) };
    expect(ruleOnPanel(by, silent)).toMatchObject({ score: 0, findings: [{ kind: 'low_confidence' }] });
  });
});

test('from one risk class to the next it takes no fewer judges, no further apart, for no less', () => {
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
