/** Proves that the graph of a plan is found out once where the plan cannot change, and anew where it can. */
import { expect, test } from 'vitest';
import type { Plan, PlanStep } from '../../model/plan.ts';
import { takeProven } from '../../model/take-json.ts';
import { buildGraph } from './dependency-graph.ts';
import { graphOf } from './plan-graph.ts';

const planOf = (steps: PlanStep[]): Plan => ({ plan_id: 'p', intent: 'task', steps, decision_checkpoints: [] });
const steps = (): PlanStep[] => [
  { id: 'b', tool: 't', depends_on: ['a'] },
  { id: 'a', tool: 't' },
];

test('a plan that was taken for good has one graph, which is that of its steps', () => {
  const plan = takeProven(planOf(steps())) as unknown as Plan;
  expect(graphOf(plan)).toEqual(buildGraph(plan.steps));
  expect(graphOf(plan)).toBe(graphOf(plan));
});

test('a plan that somebody may still change is looked at again, frozen shell or not', () => {
  const list = steps();
  const plan = Object.freeze(planOf(list));
  expect(graphOf(plan).order).toEqual([1, 0]);
  list.reverse();
  expect(graphOf(plan).order).toEqual([0, 1]);
});
