/** Properties of judging: scores stay between 0 and 1, the same case gives the same bytes, arguments stay unchanged. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { approval, lookup, refund, runCase, stepCase } from '../../test/critic/cases.ts';
import type { RunCase, StepCase } from '../model/critic/judged-case.ts';
import { APPROVAL_MODES } from '../model/gate/approval-mode.ts';
import { deepFreeze } from '../model/json/freeze.ts';
import type { Json } from '../model/json/json.ts';
import { RISK_CLASSES } from '../model/policy/risk.ts';
import { TOOL_OUTCOMES } from '../model/tool/tool.ts';
import { standardEvaluators } from './evaluators/standard-evaluators.ts';
import { scoreRun, scoreStep } from './judge.ts';
import { rubricFor } from './judges/judge-specs.ts';

const TYPES = ['order', 'policy', 'refund'] as const;
const types = fc.subarray([...TYPES]);
const known = types.map((list) => Object.fromEntries(list.map((type, at) => [type, `ev_${at}`])));
const amount = fc.nat({ max: 1_000_000 });
const costs = fc.record({ input_tokens: amount, output_tokens: amount, microusd: amount });
const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;
const fact = fc.record({
  evidence_id: fc.constantFrom('ev_1', 'ev_2'),
  source: fc.constantFrom('ledger', 'bank'),
  trusted: fc.boolean(),
  type: fc.constantFrom(...TYPES),
  subject: fc.constantFrom('a', 'b'),
  path: fc.constantFrom('', '/total', '/\u0000'),
  value: json,
  critical: fc.boolean(),
});

const anyStep: fc.Arbitrary<StepCase> = fc
  .record({
    tool: fc.constantFrom(lookup, refund),
    mode: fc.constantFrom(...APPROVAL_MODES),
    outcome: fc.constantFrom(...TOOL_OUTCOMES),
    output: json,
    problems: fc.constantFrom([], [{ code: 'tool_result_invalid', path: '', message: 'no' } as const]),
    approvals: fc.constantFrom([], [approval({ step_id: 's1' })], [approval()]),
    permitted: fc.boolean(),
    equals: json,
    facts: fc.array(fact, { maxLength: 4 }),
    spending: fc.record({ spent: costs, projected: costs }),
    evidence: fc.record({ known, needed: types, expected: types, supplied: types, unresolved: types }),
  })
  .map(({ mode, approvals, permitted, equals, facts, spending, evidence, ...rest }) =>
    stepCase(
      { ...rest, step: { id: 's1', tool: rest.tool.name, approval_mode: mode } },
      {
        approvals,
        policy: { permitted, reason: 'recorded' },
        assumptions: [{ id: 'a1', statement: 'so', step: 's1', path: '/total', equals }],
        criteria: [{ id: 'c1', evidence: 'order' }, { id: 'c2' }],
        facts,
        spending,
      },
      evidence,
    ),
  );

const score = fc.double({ min: 0, max: 1, noNaN: true });
const anyRun: fc.Arbitrary<RunCase> = fc
  .record({
    risk: fc.constantFrom(...RISK_CLASSES),
    evidence: known,
    steps: fc.array(fc.record({ step_id: fc.constant('s1'), scores: fc.record({ policy: score, utility: score }) })),
    facts: fc.array(fact, { maxLength: 4 }),
    claims: fc.array(fc.record({ statement: fc.string(), observation: fc.constantFrom(null, 'ev_1', 'ev_9') })),
  })
  .map(runCase);

const risks = fc.constantFrom(...RISK_CLASSES);
const table = standardEvaluators();
const withinBounds = (scores: Readonly<Record<string, number>>) =>
  Object.values(scores).every((value) => value >= 0 && value <= 1);

describe('for every case', () => {
  test.prop([anyStep, risks])('a step has the scores policy and utility, between 0 and 1', (c, risk) => {
    const { scores, criteria } = scoreStep(rubricFor(risk), table, c);
    expect(Object.keys(scores)).toEqual(['policy', 'utility']);
    expect(withinBounds(scores)).toBe(true);
    expect(criteria.every((line) => line.score >= 0 && line.score <= 1)).toBe(true);
  });

  test.prop([anyRun, risks])('a run has the scores policy and utility, between 0 and 1', (c, risk) => {
    const { scores } = scoreRun(rubricFor(risk), table, c);
    expect(Object.keys(scores).sort()).toEqual(['policy', 'utility']);
    expect(withinBounds(scores)).toBe(true);
  });

  test.prop([anyStep, anyRun, risks])(
    'the same case gives the same bytes, from a frozen case and from a copy',
    (step, run, risk) => {
      const rubric = deepFreeze(structuredClone(rubricFor(risk)));
      expect(JSON.stringify(scoreStep(rubric, standardEvaluators(), structuredClone(step)))).toBe(
        JSON.stringify(scoreStep(rubric, table, step)),
      );
      expect(JSON.stringify(scoreRun(rubric, standardEvaluators(), structuredClone(run)))).toBe(
        JSON.stringify(scoreRun(rubric, table, run)),
      );
    },
  );

  test.prop([anyStep])('a higher risk class never gives a better score', (c) => {
    const utilities = RISK_CLASSES.map((risk) => scoreStep(rubricFor(risk), table, c).scores['utility'] ?? 0);
    expect(utilities).toEqual([...utilities].sort((a, b) => b - a));
  });

  test.prop([costs, costs, fc.boolean()])(
    'spending and approvals never push a good step below the acceptance threshold',
    (spent, projected, asked) => {
      const c = stepCase({}, { spending: { spent, projected }, approvals: asked ? [approval({ step_id: 's1' })] : [] });
      for (const risk of RISK_CLASSES) {
        const rubric = rubricFor(risk);
        expect(scoreStep(rubric, table, c).scores['utility']).toBeGreaterThanOrEqual(rubric.accept);
      }
    },
  );
});
