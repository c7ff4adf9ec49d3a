/** Proves that a plan is compared with the remaining budget in every dimension, and that exactly enough is accepted. */
import { expect, test } from 'vitest';
import {
  context,
  known,
  planOf,
  REFUND_PLAN,
  REFUND_TOOLS,
  spec,
  table,
} from '../../../../test/kernel/verify/fixtures.ts';
import { type PlanVerification, projectCost, verifyPlan } from '../verify-plan.ts';

const cost = { input_tokens: 10, output_tokens: 20, microusd: 30 };
const specs = [spec('t', { external: true, side_effect: true, cost })];
const plan = planOf([1, 2, 3].map((index) => ({ id: `s${index}`, tool: 't' })));
const needed = {
  steps: 3,
  tool_calls: 3,
  external_api_calls: 3,
  side_effects: 3,
  input_tokens: 30,
  output_tokens: 60,
  cost_microusd: 90,
};
const verify = (remaining: Readonly<Record<string, number>>): PlanVerification =>
  verifyPlan(plan, context({ specs, remaining, catalog: new Map() }), 2);

test('projects the maximum cost of every step', () => {
  expect(projectCost(plan, table(specs))).toEqual(needed);
  expect(verify(needed)).toMatchObject({ verdict: 'ok', projected: needed });
});

test.each(Object.entries(needed))('refuses one more %s than remains, with the amounts', (dimension, amount) => {
  const verification = verify({ ...needed, [dimension]: amount - 1 });
  expect(verification.verdict).toBe('reject');
  expect(verification.problems).toMatchObject([
    { code: 'budget_projection_exceeded', path: '/steps', detail: { dimension, needed: amount, left: amount - 1 } },
  ]);
});

test('a missing or NaN dimension has nothing left, and a need of 0 always fits', () => {
  const { side_effects: _, ...rest } = needed;
  expect(verify(rest).problems).toMatchObject([{ detail: { dimension: 'side_effects', left: 0 } }]);
  expect(verify({ ...needed, steps: Number.NaN }).problems).toMatchObject([
    { detail: { dimension: 'steps', left: 0 } },
  ]);
  expect(
    verifyPlan(
      plan,
      context({ specs: [spec('t')], catalog: new Map(), remaining: { steps: 3, tool_calls: 3, cost_microusd: -5 } }),
      2,
    ).verdict,
  ).toBe('ok');
});

test('an identical step that was already committed costs nothing', () => {
  const [first, second] = REFUND_PLAN.steps;
  if (first === undefined || second === undefined) throw new Error('the refund plan has steps');
  const committed = new Map([
    ['s1', { step: first, output: {} }],
    ['s2', { step: { ...second, params: { other: 1 } }, output: {} }],
  ]);
  expect(projectCost(REFUND_PLAN, table(REFUND_TOOLS), { committed })).toMatchObject({ steps: 2, tool_calls: 2 });
  expect(verifyPlan(REFUND_PLAN, context({ known: known({ committed }) }), 2).projected).toMatchObject({ steps: 2 });
});
