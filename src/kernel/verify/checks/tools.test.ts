/** Proves that a plan can only use tools that exist, are active and are allowed in the run. */
import { expect } from 'vitest';
import {
  context,
  planOf,
  problemLines,
  REFUND_PLAN,
  REFUND_TOOLS,
  spec,
  table,
  verifySteps,
} from '../../../../test/kernel/verify/fixtures.ts';
import { verifies } from '../../../../test/requirements/verifies.ts';
import { verifyPlan } from '../verify-plan.ts';

verifies('validate:capability:must-exist', 'reports all unknown tools at once and lists the available ones', () => {
  const specs = [spec('search'), spec('respond'), spec('retired', { active: false }), spec('forbidden')];
  const tools = table(specs, ['search', 'respond', 'retired']);
  const steps = ['teleport', 'search', 'warp', 'teleport', 'toString'].map((tool, index) => ({
    id: `s${index}`,
    tool,
  }));
  const verification = verifySteps(steps, specs, { tools });
  expect(verification.verdict).toBe('replan');
  expect(verification.problems).toEqual([
    {
      code: 'hallucinated_capability',
      path: '/steps/0/tool',
      message: 'no such tool: teleport, warp, toString. Available: search, respond',
      step_id: 's0',
      detail: {
        unknown: ['teleport', 'warp', 'toString'],
        steps: ['s0', 's2', 's3', 's4'],
        available: ['search', 'respond'],
      },
    },
  ]);
});

verifies('verify:tools:allow-list', 'refuses a registered tool that the run may not use, with step and name', () => {
  const wire = spec('adp_payments.wire_out', { approval_mode: 'destructive' });
  const plan = planOf([...REFUND_PLAN.steps, { id: 's4', tool: wire.name, requires: ['G'] }], {
    decision_checkpoints: REFUND_PLAN.decision_checkpoints,
  });
  const tools = table(
    [...REFUND_TOOLS, wire],
    REFUND_TOOLS.map(({ name }) => name),
  );
  const verification = verifyPlan(plan, context({ tools }), 2);
  expect(verification.verdict).not.toBe('ok');
  expect(verification.problems).toMatchObject([
    { code: 'tool_not_allowed', path: '/steps/3/tool', step_id: 's4', detail: { tool: 'adp_payments.wire_out' } },
  ]);
});

verifies('plan:generation:structured-steps-with-live-tools', 'refuses prose and inactive tools', () => {
  expect(problemLines(verifyPlan('1. look up the order 2. refund it', context(), 2))).toEqual(['plan_untyped ']);
  const verification = verifySteps(
    [
      { id: 's1', tool: 'on' },
      { id: 's2', tool: 'off' },
    ],
    [spec('on'), spec('off', { active: false })],
  );
  expect(verification.verdict).toBe('replan');
  expect(verification.problems).toMatchObject([{ code: 'tool_inactive', path: '/steps/1/tool', step_id: 's2' }]);
});
