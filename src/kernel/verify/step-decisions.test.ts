/** Proves which steps the call policies judge, and which evidence they expect. */
import { expect, test } from 'vitest';
import { context, known, planOf, spec } from '../../../test/kernel/verify/fixtures.ts';
import type { PlanStep } from '../../model/plan/plan.ts';
import type { PolicyDecision } from '../../model/policy/policy-decision.ts';
import { buildGraph } from '../state/dependency-graph.ts';
import { stepDecisions } from './verify-plan.ts';

const specs = [spec('look', { produces: ['order'] }), spec('weigh', { produces: ['order', 'weight'] }), spec('act')];
const PERMIT = { effect: 'permit', reasons: [], determining: [], version: '1' } as unknown as PolicyDecision;

/** The expected evidence that the policies receive for each judged step. */
function expectedByStep(
  steps: readonly PlanStep[],
  done: readonly PlanStep[] = [],
): Readonly<Record<string, readonly string[]>> {
  const received: Record<string, readonly string[]> = {};
  const committed = new Map(done.map((step) => [step.id, { step, output: {} }]));
  const parts = {
    plan: planOf(steps),
    graph: buildGraph(steps),
    specs: steps.map(({ tool }) => specs.find(({ name }) => name === tool)),
  };
  const decisions = stepDecisions(parts, {
    ...context({ specs, known: known({ committed }) }),
    decide: ({ id }, _, expected) => {
      received[id] = expected;
      return PERMIT;
    },
  });
  expect(decisions.map(({ step_id }) => step_id)).toEqual(Object.keys(received));
  return received;
}

const STEPS: readonly PlanStep[] = [
  { id: 'last', tool: 'act', depends_on: ['second'] },
  { id: 'first', tool: 'look', params: { n: 1 } },
  { id: 'second', tool: 'weigh', depends_on: ['first'] },
];
const FIRST = { id: 'first', tool: 'look', params: { n: 1 } };

test('expects the evidence of all steps that run earlier, each type once', () => {
  expect(expectedByStep(STEPS)).toEqual({ last: ['order', 'weight'], first: [], second: ['order'] });
});

test('does not judge a committed step or expect its evidence', () => {
  expect(expectedByStep(STEPS, [FIRST])).toEqual({ last: ['order', 'weight'], second: [] });
  expect(expectedByStep(STEPS, [FIRST, { id: 'second', tool: 'weigh' }])).toEqual({ last: [] });
});

test('judges a step again if a committed step with its id had other params', () => {
  expect(expectedByStep(STEPS, [{ ...FIRST, params: { n: 2 } }])).toEqual(expectedByStep(STEPS));
});

test('does not judge unknown tools, and expects nothing for steps in a cycle', () => {
  expect(expectedByStep([{ id: 'a', tool: 'nothing' }, FIRST])).toEqual({ first: [] });
  const circle = [FIRST, { id: 'a', tool: 'act', depends_on: ['b'] }, { id: 'b', tool: 'act', depends_on: ['a'] }];
  expect(expectedByStep(circle)).toEqual({ first: [], a: [], b: [] });
});
