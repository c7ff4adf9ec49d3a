/** Proves that the shipped yardsticks are valid, complete, and only get stricter with risk. */
import { describe, expect, test } from 'vitest';
import { refundCase, runCase, stepCase } from '../../test/critic/cases.ts';
import { parse } from '../model/parse.ts';
import { RISK_CLASSES } from '../model/risk.ts';
import { Rubric } from '../model/rubric.ts';
import { judgeRun, judgeStep } from './judge.ts';
import { rubricFor } from './rubrics.ts';
import { standardEvaluators } from './standard-evaluators.ts';

const table = standardEvaluators();

test.each(RISK_CLASSES)(
  'the rubric for %s risk is a valid one, frozen, and names only evaluators that exist',
  (risk) => {
    const rubric = rubricFor(risk);
    expect(parse(Rubric, rubric, 'input_invalid')).toEqual(rubric);
    expect(Object.isFrozen(rubric) && Object.isFrozen(rubric.evaluators) && Object.isFrozen(rubric.floors)).toBe(true);
    expect(rubric.evaluators.filter((id) => !table.step.has(id) && !table.run.has(id))).toEqual([]);
  },
);

describe('from each risk class to the next', () => {
  const pairs = RISK_CLASSES.slice(1).map((risk, at) => [RISK_CLASSES[at] ?? 'low', risk] as const);

  test.each(pairs)('%s → %s: the checks made on the same step grow and never shrink', (lower, higher) => {
    const checks = (risk: (typeof RISK_CLASSES)[number]) =>
      judgeStep(rubricFor(risk), table, refundCase()).criteria.map(({ criterion }) => criterion);
    expect(checks(higher)).toEqual(expect.arrayContaining(checks(lower)));
  });

  test.each(pairs)('%s → %s: thresholds and floors never sink', (lower, higher) => {
    const [a, b] = [rubricFor(lower), rubricFor(higher)];
    expect(b.accept).toBeGreaterThanOrEqual(a.accept);
    expect(b.confidence).toBeGreaterThanOrEqual(a.confidence);
    for (const [name, floor] of Object.entries(a.floors)) expect(b.floors[name]).toBeGreaterThanOrEqual(floor);
  });

  test('high asks for strictly more than low', () => {
    expect(rubricFor('high').evaluators.length).toBeGreaterThan(rubricFor('low').evaluators.length);
    expect(rubricFor('high').accept).toBeGreaterThan(rubricFor('low').accept);
  });
});

describe('the refund', () => {
  const lookedUp = stepCase();
  const evaluated = stepCase(
    { step: { id: 's2', tool: 'adp_policy.eval', depends_on: ['s1'] }, output: { eligible: true } },
    {},
    { known: { order: 'ev_1', policy: 'ev_2' }, expected: ['policy'], supplied: ['policy'] },
  );

  test.each(RISK_CLASSES)('at %s risk: two clean steps, and one that took a person', (risk) => {
    const rubric = rubricFor(risk);
    const judged = [lookedUp, evaluated, refundCase()].map((c) => judgeStep(rubric, table, c));
    expect(judged.map(({ scores }) => scores)).toEqual([
      { policy: 1, utility: 1 },
      { policy: 1, utility: 1 },
      { policy: 1, utility: 0.95 },
    ]);
    expect(judged.flatMap(({ findings }) => findings)).toEqual([]);
    const steps = judged.map(({ scores }, at) => ({ step_id: `s${at + 1}`, scores }));
    const run = judgeRun(rubric, table, runCase({ risk, steps }));
    expect(run.scores).toEqual({ policy: 1, utility: 0.9833 });
    expect(run.unmet).toEqual([]);
  });
});
