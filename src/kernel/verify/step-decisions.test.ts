/** Proves which steps the rules about calls are asked about, and what they are told is still to come. */
import { expect, test } from 'vitest';
import { context, known, planOf, spec } from '../../../test/kernel/verify/fixtures.ts';
import type { PlanStep } from '../../model/plan.ts';
import type { PolicyDecision } from '../../model/policy-decision.ts';
import { buildGraph } from './dependency-graph.ts';
import { stepDecisions } from './step-decisions.ts';

const specs = [spec('look', { produces: ['order'] }), spec('weigh', { produces: ['order', 'weight'] }), spec('act')];
const PERMIT = { effect: 'permit', reasons: [], determining: [], version: '1' } as unknown as PolicyDecision;

/** What the rules hear of each step that they are asked about. */
function told(steps: readonly PlanStep[], done: readonly PlanStep[] = []): Readonly<Record<string, readonly string[]>> {
  const heard: Record<string, readonly string[]> = {};
  const committed = new Map(done.map((step) => [step.id, { step, output: {} }]));
  const parts = {
    plan: planOf(steps),
    graph: buildGraph(steps),
    specs: steps.map(({ tool }) => specs.find(({ name }) => name === tool)),
  };
  const decisions = stepDecisions(parts, {
    ...context({ specs, known: known({ committed }) }),
    decide: ({ id }, _, expected) => {
      heard[id] = expected;
      return PERMIT;
    },
  });
  expect(decisions.map(({ step_id }) => step_id)).toEqual(Object.keys(heard));
  return heard;
}

const STEPS: readonly PlanStep[] = [
  { id: 'last', tool: 'act', depends_on: ['second'] },
  { id: 'first', tool: 'look', params: { n: 1 } },
  { id: 'second', tool: 'weigh', depends_on: ['first'] },
];
const FIRST = { id: 'first', tool: 'look', params: { n: 1 } };

test('what comes before a step in its turn, each type once', () => {
  expect(told(STEPS)).toEqual({ last: ['order', 'weight'], first: [], second: ['order'] });
});

test('what is done is not asked about and no longer to come', () => {
  expect(told(STEPS, [FIRST])).toEqual({ last: ['order', 'weight'], second: [] });
  expect(told(STEPS, [FIRST, { id: 'second', tool: 'weigh' }])).toEqual({ last: [] });
});

test('what was done otherwise under the same id is still to be done', () => {
  expect(told(STEPS, [{ ...FIRST, params: { n: 2 } }])).toEqual(told(STEPS));
});

test('a tool that does not exist is not asked about, and nothing comes before what has no turn', () => {
  expect(told([{ id: 'a', tool: 'nothing' }, FIRST])).toEqual({ first: [] });
  const circle = [FIRST, { id: 'a', tool: 'act', depends_on: ['b'] }, { id: 'b', tool: 'act', depends_on: ['a'] }];
  expect(told(circle)).toEqual({ first: [], a: [], b: [] });
});
