import type { Plan } from '../model/plan.ts';
import { assocGet } from './assoc.ts';
import { clearRetries } from './budget-gauge.ts';
import { carryOver } from './carry.ts';
import type { KernelEnv } from './env.ts';
import { addEstimate, type Estimate } from './estimate.ts';
import { dropLanes } from './lanes/take-returned.ts';
import { indexPlan } from './plan-index.ts';
import { closingEstimate, plannedEstimate } from './planned-estimate.ts';
import type { ActivePlan, RunState, StepProgress } from './state.ts';
import { isStaleStep } from './support.ts';
import { vecOf } from './vec.ts';
import { sameCall } from './verify/same-call.ts';

const PENDING: StepProgress = Object.freeze({ status: 'pending', attempts: 0, fact: null });

/**
 * Puts a verified plan in force. What earlier plans committed stays known, and a step that says exactly what a
 * committed one said is done already: work is never repeated because somebody planned it twice.
 */
export function activatePlan(env: KernelEnv, planned: RunState, plan: Plan, hash: string): RunState {
  const state = planned.lanes === undefined ? planned : dropLanes(planned, 'plan_superseded');
  const carried = carryOver(state);
  const scoresCarried = state.work.scores.size;
  const index = indexPlan(plan);
  const { author, filled, tainted } = state.planning;
  const { risk } = state.intake;
  const active: ActivePlan = { plan, hash, index, author: author ?? 'model', filled, tainted };
  const progress: StepProgress[] = [];
  let estimate: Estimate = closingEstimate(env, state);
  for (const step of plan.steps) {
    const before = assocGet(carried.steps, step.id);
    // What has been overtaken by a newer word is looked up again.
    const done =
      before !== undefined && sameCall(before.step, step) && !isStaleStep(carried, step.id, step.context_key);
    progress.push(done ? { status: 'committed', attempts: 0, fact: before.fact } : PENDING);
    const spec = env.tools.get(step.tool);
    if (!done && spec !== undefined) estimate = addEstimate(estimate, plannedEstimate(env, risk, step, spec));
  }
  return {
    ...state,
    planning: {
      ...state.planning,
      active,
      approved: false,
      plansCreated: state.planning.plansCreated + 1,
      specialist: state.planning.specialist === 'planning' ? 'used' : state.planning.specialist,
      reason: null,
    },
    // What was approved under another plan, be it word for word the same, was approved for that one.
    people: state.people.grants.length === 0 ? state.people : { ...state.people, grants: [] },
    work: { ...state.work, progress: vecOf(progress), cursor: 0, carried, scoresCarried, unresolved: [], estimate },
    current: null,
    budget: state.budget === null ? null : clearRetries(state.budget),
  };
}
