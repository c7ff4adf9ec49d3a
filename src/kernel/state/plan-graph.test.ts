/** Proves that the graph of a plan is cached only if the plan cannot change. */
import { expect, test } from 'vitest';
import { takeProven } from '../../model/json/take-json.ts';
import type { Plan, PlanStep } from '../../model/plan/plan.ts';
import { buildGraph } from './dependency-graph.ts';
import { graphOf } from './plan-index.ts';

const planOf = (steps: PlanStep[]): Plan => ({ plan_id: 'p', intent: 'task', steps, decision_checkpoints: [] });
const steps = (): PlanStep[] => [
  { id: 'b', tool: 't', depends_on: ['a'] },
  { id: 'a', tool: 't' },
];

test('caches the graph of a proven plan', () => {
  const plan = takeProven(planOf(steps())) as unknown as Plan;
  expect(graphOf(plan)).toEqual(buildGraph(plan.steps));
  expect(graphOf(plan)).toBe(graphOf(plan));
});

test('rebuilds the graph of a plan that is only frozen on the surface', () => {
  const list = steps();
  const plan = Object.freeze(planOf(list));
  expect(graphOf(plan).order).toEqual([1, 0]);
  list.reverse();
  expect(graphOf(plan).order).toEqual([0, 1]);
});
