import type { Plan } from '../../../model/plan/plan.ts';
import type { KernelEnv } from '../../env.ts';
import { goalDistance } from '../../query/plan/goal-distance.ts';
import { isReactive } from '../../query/plan/reactive-route.ts';
import { doneSteps } from '../../query/plan/steps.ts';
import { indexPlan } from '../../state/plan-index.ts';
import type { RunState } from '../../state/run-state.ts';
import type { Reaction } from '../../transition/reaction.ts';
import { escalateRun } from '../people/escalate.ts';
import { markUnfit } from './replan.ts';

/** The number of revisions in a row, each further from the goal, that counts as drift. */
const RISING = 3;

/** The minimum increase from first to last. Plans differ by less when a step fails and the rest is replanned. */
const NOTABLE = 0.1;

/** The distances of the last plans from the goal, including this one. Empty for the first plan. */
export function notedDistances(env: KernelEnv, state: RunState, plan: Plan): readonly number[] {
  const { active, distances } = state.planning;
  const { goal } = state.intake;
  if (active === null || goal === null || isReactive(env)) return NONE;
  const inputs = { goal, evidence: state.work.evidenceByType, toolOf: (tool: string) => env.tools.get(tool) };
  const before = distances ?? [goalDistance({ ...inputs, done: [] }, active.plan, active.index)];
  const planned = indexPlan(plan);
  const done = doneSteps(state).flatMap(({ step }) => (planned.indexOf.has(step.id) ? [] : [step]));
  return [...before, goalDistance({ ...inputs, done }, plan, planned)].slice(-RISING);
}

const NONE: readonly number[] = Object.freeze([]);

/** Whether each plan is further away than the one before, by `NOTABLE` in total. */
export function isDrifting(distances: readonly number[]): boolean {
  const [first = 0] = distances;
  const isRising = distances.every((each, at) => at === 0 || each > (distances[at - 1] ?? 0));
  return isRising && distances.length === RISING && (distances.at(-1) ?? 0) - first >= NOTABLE;
}

/**
 * Escalates because the plans drift away from the goal. The last plan does not run; if a person lets the run continue,
 * it is verified again.
 */
export function escalateDrift(env: KernelEnv, state: RunState, plan: Plan, distances: readonly number[]): Reaction {
  const rejected = markUnfit({ ...state, planning: { ...state.planning, distances } });
  const detail = { plan_id: plan.plan_id, goal: state.intake.goal?.statement ?? '', distances };
  return escalateRun(env, rejected, 'plan_divergence', { code: 'REVIEW_REQUIRED', reason: 'goal_drift', detail });
}
