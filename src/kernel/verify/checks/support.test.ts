/** Proves which references justify a step, and that every assumption can be disproved by a step. */
import { expect, test } from 'vitest';
import { context, known, planOf, problemLines, spec, verifySteps } from '../../../../test/kernel/verify/fixtures.ts';
import type { Assumption } from '../../../model/plan/plan.ts';
import { type PlanVerification, verifyPlan } from '../verify-plan.ts';

test('only a fresh verified observation justifies a step', () => {
  const support = new Map([
    ['old', 'stale'],
    ['note', 'discarded'],
    ['guess', 'assumed'],
    ['error', 'failed'],
    ['seen', 'verified'],
  ] as const);
  const justified = (...because: string[]): PlanVerification =>
    verifySteps([{ id: 's1', tool: 't', because }], [spec('t')], { known: known({ support }) });
  for (const [reference, kind] of [...support, ['never', 'unknown']] as const) {
    const verification = justified('seen', reference);
    if (kind === 'verified') expect(verification.verdict).toBe('ok');
    else
      expect(verification.problems).toMatchObject([
        { code: 'contaminated_support', path: '/steps/0/because/1', step_id: 's1', detail: { reference, kind } },
      ]);
  }
});

const output_schema = { type: 'object', properties: { stock: { type: 'integer' } }, additionalProperties: false };
function assume(more: Partial<Assumption>): PlanVerification {
  const assumption = { id: 'a1', statement: 'There is stock', step: 's1', path: '/stock', equals: 1, ...more };
  const plan = planOf(
    [
      { id: 's1', tool: 't' },
      { id: 's2', tool: 't', because: ['a1'] },
    ],
    { assumptions: [assumption] },
  );
  return verifyPlan(plan, context({ specs: [spec('t', { output_schema })], catalog: new Map() }), 2);
}

test('an assumption of the plan does not justify a step', () => {
  expect(assume({}).problems).toMatchObject([{ code: 'contaminated_support', detail: { kind: 'assumed' } }]);
});

test('refuses an assumption that no step can disprove', () => {
  expect(problemLines(assume({ step: 's9' }))).toContain('unknown_dependency /assumptions/0/step');
  expect(problemLines(assume({ path: '/price' }))).toContain('binding_unresolved /assumptions/0/path');
});
