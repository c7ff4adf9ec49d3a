import { Fault } from '../../model/fault/fault.ts';
import { isProven } from '../../model/json/take-json.ts';
import type { DecisionCheckpoint, Plan } from '../../model/plan/plan.ts';
import { buildGraph, type DependencyGraph } from './dependency-graph.ts';

const GRAPHS = new WeakMap<Plan, DependencyGraph>();

/** Returns the dependency graph of a plan, cached for plans that can no longer change. */
export function graphOf(plan: Plan): DependencyGraph {
  const known = GRAPHS.get(plan);
  if (known !== undefined) return known;
  const graph = buildGraph(plan.steps);
  if (isProven(plan)) GRAPHS.set(plan, graph);
  return graph;
}

/** Lookup tables of a plan, built once so that no query walks the plan. */
export interface PlanIndex {
  readonly indexOf: ReadonlyMap<string, number>;
  readonly dependencies: readonly (readonly number[])[];
  readonly dependents: readonly (readonly number[])[];
  /** Dependencies first; ties in plan order. */
  readonly order: readonly number[];
  readonly checkpointsAfter: ReadonlyMap<number, readonly DecisionCheckpoint[]>;
}

/** Indexes a verified plan. Throws `plan_not_verified` if its steps cannot be ordered. */
export function indexPlan(plan: Plan): PlanIndex {
  const { indexOf, dependencies, dependents, order, repeated, dangling } = graphOf(plan);
  if (repeated.length > 0 || dangling.length > 0 || order.length < plan.steps.length)
    throw new Fault('plan_not_verified', `the steps of plan ${plan.plan_id} cannot be ordered; verify it first`);
  const checkpointsAfter = new Map<number, DecisionCheckpoint[]>();
  plan.decision_checkpoints.forEach((checkpoint, place) => {
    const index = indexOf.get(checkpoint.after_step);
    if (index === undefined)
      throw new Fault(
        'plan_not_verified',
        `no step ${checkpoint.after_step} in plan ${plan.plan_id}; verify it first`,
        {
          path: `/decision_checkpoints/${place}/after_step`,
        },
      );
    const list = checkpointsAfter.get(index);
    if (list === undefined) checkpointsAfter.set(index, [checkpoint]);
    else list.push(checkpoint);
  });
  return { indexOf, dependencies, dependents, order, checkpointsAfter };
}
