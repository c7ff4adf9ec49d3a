import type { Plan } from '../model/plan.ts';
import { doneSteps } from './done-steps.ts';
import type { KernelEnv } from './env.ts';
import { escalateRun } from './escalate-run.ts';
import { goalDistance } from './goal-distance.ts';
import { indexPlan } from './plan-index.ts';
import type { Reaction } from './reaction.ts';
import { isReactive } from './reactive/route-of.ts';
import type { RunState } from './state.ts';
import { unfit } from './unfit-plan.ts';

/** Revisions in a row, each further from the goal than the one before, that are no accident any more. */
const RISING = 3;

/** What they must be further by, first to last. Plans differ by less when a step fails and the rest is planned anew. */
const NOTABLE = 0.1;

/** The distances of the last plans from the goal, this one's included. The first plan of a run has nothing to be compared with. */
export function notedDistances(env: KernelEnv, state: RunState, plan: Plan): readonly number[] {
  const { active, distances } = state.planning;
  const { goal } = state.intake;
  if (active === null || goal === null || isReactive(env)) return NONE;
  const by = { goal, evidence: state.work.evidenceByType, toolOf: (tool: string) => env.tools.get(tool) };
  const before = distances ?? [goalDistance({ ...by, done: [] }, active.plan, active.index)];
  const planned = indexPlan(plan);
  const done = doneSteps(state).flatMap(({ step }) => (planned.indexOf.has(step.id) ? [] : [step]));
  return [...before, goalDistance({ ...by, done }, plan, planned)].slice(-RISING);
}

const NONE: readonly number[] = Object.freeze([]);

/** Each further away than the one before, and all of them together notably. */
export function isDrifting(distances: readonly number[]): boolean {
  const [first = 0] = distances;
  const rising = distances.every((each, at) => at === 0 || each > (distances[at - 1] ?? 0));
  return rising && distances.length === RISING && (distances.at(-1) ?? 0) - first >= NOTABLE;
}

/**
 * The plans of this run lead further and further away from its goal. Nothing of the last one is carried out: whoever set
 * the goal is shown how it drifted, and if they let the run go on, the plan is verified once more.
 */
export function drifted(env: KernelEnv, state: RunState, plan: Plan, distances: readonly number[]): Reaction {
  const held = unfit({ ...state, planning: { ...state.planning, distances } });
  const detail = { plan_id: plan.plan_id, goal: state.intake.goal?.statement ?? '', distances };
  return escalateRun(env, held, 'plan_divergence', { code: 'REVIEW_REQUIRED', reason: 'goal_drift', detail });
}
