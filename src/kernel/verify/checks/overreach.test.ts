/** Proves for which steps a cheaper tool is named, and that what is done is not held against a plan. */
import { expect, test } from 'vitest';
import { known, spec, told, verifySteps } from '../../../../test/kernel/verify/fixtures.ts';
import type { PlanStep } from '../../../model/plan.ts';

const PAID = { input_tokens: 0, output_tokens: 0, microusd: 5_000 };
const specs = [
  spec('paid', { cost: PAID, equivalents: ['free'] }),
  spec('other', { cost: PAID }),
  spec('free', { category: 'sandbox_code' }),
];
const steps: readonly PlanStep[] = ['paid', 'other', 'free', 'paid'].map((tool, at) => ({ id: `s${at}`, tool }));

test('every step that calls the costly one, and none that is done already', () => {
  expect(told(verifySteps(steps, specs, { risk: 'low' }))).toEqual([
    'tool_overreach /steps/0/tool',
    'tool_overreach /steps/3/tool',
  ]);
  const done = (id: string, tool: string) => [id, { step: { id, tool }, output: {} }] as const;
  const committed = new Map([done('s0', 'paid'), done('s3', 'paid')]);
  expect(told(verifySteps(steps, specs, { risk: 'low', known: known({ committed }) }))).toEqual([]);
});
