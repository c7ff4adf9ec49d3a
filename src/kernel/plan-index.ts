import { Fault } from '../model/fault.ts';
import type { DecisionCheckpoint, Plan } from '../model/plan.ts';
import { graphOf } from './verify/plan-graph.ts';

/** Everything about a plan that lookups need, made once, so that no later question walks the plan. */
export interface PlanIndex {
  readonly indexOf: ReadonlyMap<string, number>;
  readonly dependencies: readonly (readonly number[])[];
  readonly dependents: readonly (readonly number[])[];
  /** Dependencies first; among steps that could go next, plan order. */
  readonly order: readonly number[];
  readonly checkpointsAfter: ReadonlyMap<number, readonly DecisionCheckpoint[]>;
}

/** For plans that passed verification; any other has no order to index. */
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
