/** Proves that the shipped rubrics are valid and complete, and that they only get stricter with risk. */
import { describe, expect, test } from 'vitest';
import { refundCase, runCase, stepCase } from '../../../test/critic/cases.ts';
import { Rubric } from '../../model/critic/rubric.ts';
import { parse } from '../../model/json/parse.ts';
import { RISK_CLASSES } from '../../model/policy/risk.ts';
import { standardEvaluators } from '../evaluators/standard-evaluators.ts';
import { scoreRun, scoreStep } from '../judge.ts';
import { rubricFor } from './judge-specs.ts';

const table = standardEvaluators();

test.each(RISK_CLASSES)('the rubric for %s risk is valid, frozen, and names only existing evaluators', (risk) => {
  const rubric = rubricFor(risk);
  expect(parse(Rubric, rubric, 'input_invalid')).toEqual(rubric);
  expect(Object.isFrozen(rubric) && Object.isFrozen(rubric.evaluators) && Object.isFrozen(rubric.floors)).toBe(true);
  expect(rubric.evaluators.filter((id) => !table.step.has(id) && !table.run.has(id))).toEqual([]);
});

describe('from each risk class to the next', () => {
  const pairs = RISK_CLASSES.slice(1).map((risk, at) => [RISK_CLASSES[at] ?? 'low', risk] as const);

  test.each(pairs)('%s → %s: no evaluator of the same step is dropped', (lower, higher) => {
    const checks = (risk: (typeof RISK_CLASSES)[number]) =>
      scoreStep(rubricFor(risk), table, refundCase()).criteria.map(({ criterion }) => criterion);
    expect(checks(higher)).toEqual(expect.arrayContaining(checks(lower)));
  });

  test.each(pairs)('%s → %s: thresholds and floors never sink', (lower, higher) => {
    const [a, b] = [rubricFor(lower), rubricFor(higher)];
    expect(b.accept).toBeGreaterThanOrEqual(a.accept);
    expect(b.confidence).toBeGreaterThanOrEqual(a.confidence);
    for (const [name, floor] of Object.entries(a.floors)) expect(b.floors[name]).toBeGreaterThanOrEqual(floor);
  });

  test('high has more evaluators and a higher threshold than low', () => {
    expect(rubricFor('high').evaluators.length).toBeGreaterThan(rubricFor('low').evaluators.length);
    expect(rubricFor('high').accept).toBeGreaterThan(rubricFor('low').accept);
  });
});

describe('the refund example', () => {
  const lookedUp = stepCase();
  const evaluated = stepCase(
    { step: { id: 's2', tool: 'adp_policy.eval', depends_on: ['s1'] }, output: { eligible: true } },
    {},
    { known: { order: 'ev_1', policy: 'ev_2' }, expected: ['policy'], supplied: ['policy'] },
  );

  test.each(RISK_CLASSES)('at %s risk: two flawless steps, and one that needed a person', (risk) => {
    const rubric = rubricFor(risk);
    const judged = [lookedUp, evaluated, refundCase()].map((c) => scoreStep(rubric, table, c));
    expect(judged.map(({ scores }) => scores)).toEqual([
      { policy: 1, utility: 1 },
      { policy: 1, utility: 1 },
      { policy: 1, utility: 0.95 },
    ]);
    expect(judged.flatMap(({ findings }) => findings)).toEqual([]);
    const steps = judged.map(({ scores }, at) => ({ step_id: `s${at + 1}`, scores }));
    const run = scoreRun(rubric, table, runCase({ risk, steps }));
    expect(run.scores).toEqual({ policy: 1, utility: 0.9833 });
    expect(run.unmet).toEqual([]);
  });
});
