import type { Plan } from '../../model/plan.ts';
import { isProven } from '../../model/take-json.ts';
import { buildGraph, type DependencyGraph } from './dependency-graph.ts';

const GRAPHS = new WeakMap<Plan, DependencyGraph>();

/** Which steps of a plan wait for which: found out once about a plan that nothing can change any more. */
export function graphOf(plan: Plan): DependencyGraph {
  const known = GRAPHS.get(plan);
  if (known !== undefined) return known;
  const graph = buildGraph(plan.steps);
  if (isProven(plan)) GRAPHS.set(plan, graph);
  return graph;
}
