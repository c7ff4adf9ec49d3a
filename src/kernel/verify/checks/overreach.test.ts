/** Proves which steps are refused for a cheaper tool, and that committed steps are not. */
import { expect, test } from 'vitest';
import { known, problemLines, spec, verifySteps } from '../../../../test/kernel/verify/fixtures.ts';
import type { PlanStep } from '../../../model/plan/plan.ts';

const PAID = { input_tokens: 0, output_tokens: 0, microusd: 5_000 };
const specs = [
  spec('paid', { cost: PAID, equivalents: ['free'] }),
  spec('other', { cost: PAID }),
  spec('free', { category: 'sandbox_code' }),
];
const steps: readonly PlanStep[] = ['paid', 'other', 'free', 'paid'].map((tool, at) => ({ id: `s${at}`, tool }));

test('reports every step that calls the costly tool and is not committed yet', () => {
  expect(problemLines(verifySteps(steps, specs, { risk: 'low' }))).toEqual([
    'tool_overreach /steps/0/tool',
    'tool_overreach /steps/3/tool',
  ]);
  const done = (id: string, tool: string) => [id, { step: { id, tool }, output: {} }] as const;
  const committed = new Map([done('s0', 'paid'), done('s3', 'paid')]);
  expect(problemLines(verifySteps(steps, specs, { risk: 'low', known: known({ committed }) }))).toEqual([]);
});
