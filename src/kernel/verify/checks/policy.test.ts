/** Proves that a plan passes only if the policy engine accepts it. */
import { expect, test } from 'vitest';
import { context, planOf, REFUND_PLAN, spec } from '../../../../test/kernel/verify/fixtures.ts';
import { verifies } from '../../../../test/requirements/verifies.ts';
import type { Plan } from '../../../model/plan/plan.ts';
import type { PolicyEngine } from '../../../model/policy/policy-decision.ts';
import { verifyPlan } from '../verify-plan.ts';

verifies('verify:policy:conflict-detection', 'rejects a plan that breaks an invariant and names it', () => {
  const specs = [spec('refund'), spec('credit')];
  const policy: PolicyEngine = {
    version: 'policy@7',
    invariants: ({ steps }: Plan) =>
      ['refund', 'credit'].every((name) => steps.some(({ tool }) => tool === name))
        ? [{ invariant: 'no_refund_with_credit', message: 'a case is refunded or credited, not both' }]
        : [],
  };
  const verify = (...tools: string[]): ReturnType<typeof verifyPlan> =>
    verifyPlan(
      planOf(tools.map((tool, index) => ({ id: `s${index}`, tool }))),
      context({ specs, policy, catalog: new Map() }),
      2,
    );
  expect(verify('refund').verdict).toBe('ok');
  const both = verify('refund', 'credit');
  expect(both.verdict).toBe('reject');
  expect(both.problems).toMatchObject([
    { code: 'policy_conflict', path: '', detail: { invariant: 'no_refund_with_credit', policy: 'policy@7' } },
  ]);
});

const broken: readonly (readonly [string, () => never])[] = [
  [
    'throws',
    () => {
      throw new RangeError('out of memory');
    },
  ],
  ['answers no list', () => 'fine' as never],
  ['answers a list of nothing', () => [null] as never],
];
test.each(broken)('rejects a plan if the engine %s', (_how, invariants) => {
  const verification = verifyPlan(REFUND_PLAN, context({ policy: { version: 'p', invariants } }), 2);
  expect(verification.problems).toMatchObject([{ code: 'policy_conflict', detail: { invariant: 'policy_engine' } }]);
  expect(verification.verdict).toBe('reject');
});
