import type { Plan } from '../../../model/plan/plan.ts';
import { isHeld } from '../../../model/run/session-status.ts';
import { addEstimate, type Estimate } from '../../budget/estimate.ts';
import { clearRetries } from '../../budget/gauges.ts';
import type { KernelEnv } from '../../env.ts';
import { isStaleStep } from '../../query/evidence/support.ts';
import { closingEstimate, plannedEstimate } from '../../query/plan/estimate-plan.ts';
import { carryOver, nextStep } from '../../query/plan/steps.ts';
import { assocGet } from '../../state/assoc.ts';
import { indexPlan } from '../../state/plan-index.ts';
import { hasRule } from '../../state/rules.ts';
import type { ActivePlan, RunState, StepProgress } from '../../state/run-state.ts';
import { vecGet, vecOf } from '../../state/vec.ts';
import { dropCurrent, NO_EFFECTS, type Reaction } from '../../transition/reaction.ts';
import { sameCall } from '../../verify/step-rules.ts';
import { dropLanes } from '../lane/lane.ts';
import { openPlanGate } from '../people/open-gates.ts';
import { advance } from './advance.ts';
import { verifyAgain } from './verify-again.ts';

const PENDING: StepProgress = Object.freeze({ status: 'pending', attempts: 0, fact: null });

/**
 * Activates a verified plan. Committed facts of earlier plans stay, and a step equal to a committed one counts as done,
 * so no work is repeated.
 */
export function activatePlan(env: KernelEnv, previous: RunState, plan: Plan, hash: string): RunState {
  const state = previous.lanes === undefined ? previous : dropLanes(previous, 'plan_superseded');
  const carried = carryOver(state);
  const scoresCarried = state.work.scores.size;
  const index = indexPlan(plan);
  const { author, filled, tainted } = state.planning;
  const { risk } = state.intake;
  const inputsDelivered = hasRule(state, 'inputs_delivered');
  const active: ActivePlan = { plan, hash, index, author: author ?? 'model', filled, tainted };
  const progress: StepProgress[] = [];
  let estimate: Estimate = closingEstimate(env, state);
  for (const step of plan.steps) {
    const before = assocGet(carried.steps, step.id);
    // A step with an outdated value runs again.
    const done =
      before !== undefined &&
      sameCall(before.step, step, inputsDelivered) &&
      !isStaleStep(carried, step.id, step.context_key);
    progress.push(done ? { status: 'committed', attempts: 0, fact: before.fact } : PENDING);
    const spec = env.tools.get(step.tool);
    if (!done && spec !== undefined) estimate = addEstimate(estimate, plannedEstimate(env, risk, step, spec));
  }
  const { unverified: _, ...planning } = state.planning;
  return {
    ...state,
    planning: {
      ...planning,
      active,
      approved: false,
      plansCreated: state.planning.plansCreated + 1,
      specialist: state.planning.specialist === 'planning' ? 'used' : state.planning.specialist,
      reason: null,
    },
    // Grants under another plan do not apply, even if that plan was identical.
    people: state.people.grants.length === 0 ? state.people : { ...state.people, grants: [] },
    work: { ...state.work, progress: vecOf(progress), cursor: 0, carried, scoresCarried, unresolved: [], estimate },
    current: null,
    budget: state.budget === null ? null : clearRetries(state.budget),
  };
}

/**
 * Keeps the active plan, which was verified again with other tools: its committed steps stay committed, and its
 * approvals have to be given again.
 */
export function keepPlan(env: KernelEnv, state: RunState): RunState {
  const { unverified: _, ...planning } = state.planning;
  const { risk } = state.intake;
  let estimate: Estimate = closingEstimate(env, state);
  planning.active?.plan.steps.forEach((step, index) => {
    const spec = env.tools.get(step.tool);
    const isOpen = vecGet(state.work.progress, index)?.status === 'pending';
    if (isOpen && spec !== undefined) estimate = addEstimate(estimate, plannedEstimate(env, risk, step, spec));
  });
  return {
    ...dropCurrent(state),
    planning: { ...planning, approved: false, reason: null },
    people: { ...state.people, grants: [] },
    work: { ...state.work, estimate },
  };
}

/** Starts a verified plan with its first step, or with its approval gate. */
export function beginPlan(env: KernelEnv, state: RunState): Reaction {
  if (isHeld(state.session.status)) return [state, NO_EFFECTS];
  const verifying = verifyAgain(env, state);
  if (verifying !== null) return verifying;
  const needsApproval = nextStep(state) !== null && !startsWithoutApproval(env, state);
  return needsApproval ? openPlanGate(env, state) : advance(env, state);
}

/** Whether validation leads straight to the first step. If not, a person has to approve the plan. */
function startsWithoutApproval(env: KernelEnv, state: RunState): boolean {
  const [from, to] = [env.graph.idOf('plan_validation'), env.graph.idOf('action_selection')];
  return from !== null && to !== null && env.graph.edge(from, to)?.(state) === true;
}
