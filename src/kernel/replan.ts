import type { PlanReason } from '../model/effect.ts';
import type { EscalationTrigger } from '../model/escalation.ts';
import type { TerminalCode } from '../model/terminal-code.ts';
import { askPlanner } from './ask-planner.ts';
import { charge } from './budget.ts';
import { dropCurrent } from './drop-current.ts';
import type { KernelEnv } from './env.ts';
import { escalateRun } from './escalate-run.ts';
import { loopDetected } from './loop-detected.ts';
import { noteTransition } from './loop-guard.ts';
import type { Reaction } from './reaction.ts';
import type { RunState } from './state.ts';
import { canWalk, standsOn, walk } from './walk.ts';

/** Why the plan has to change, and how the run ends if it may not change any more. */
export interface Replan {
  readonly reason: PlanReason;
  readonly trigger: EscalationTrigger;
  readonly code: TerminalCode;
}

/** Gives control back to the Planner with the exact reason, as often as the run's re-plan budget allows. */
export function replan(env: KernelEnv, state: RunState, why: Replan): Reaction {
  const back = backToPlan(env, state);
  const again = back === null ? null : takeReplan(back);
  if (again === null) {
    return escalateRun(env, state, why.trigger, {
      code: why.code,
      reason: state.intake.goal?.call === undefined ? 'replan_budget_exhausted' : why.reason.code,
      detail: { cause: why.reason.code, step_id: why.reason.step_id, message: why.reason.message },
    });
  }
  const noted = noteTransition(state.guard, wayBack(env, state, why.reason));
  if (noted.trip !== null) return loopDetected(env, { ...state, guard: noted.guard }, noted.trip);
  return askPlanner(env, dropCurrent({ ...again, guard: noted.guard }), why.reason);
}

/** The edge and the situation it is taken in: going back for the same reason, with nothing learned since, is a circle. */
function wayBack(env: KernelEnv, { position, work }: RunState, { code, step_id, message }: PlanReason): string {
  return `${position.node}>plan ${env.hash([work.version, code, step_id, message].join('\n'))}`;
}

/** Charges one re-plan attempt, or says that none is left. One call that was asked for is not replaced by another. */
export function takeReplan(state: RunState): RunState | null {
  if (state.budget === null || state.intake.goal?.call !== undefined) return null;
  const charged = charge(state.budget, { replan_attempts: 1 });
  if (!charged.ok) return null;
  return {
    ...state,
    budget: charged.budget,
    planning: { ...state.planning, replans: state.planning.replans + 1 },
  };
}

/** The run back at the Planner, or null where no edge leads back from here or a guard on the way forbids it. */
function backToPlan(env: KernelEnv, state: RunState): RunState | null {
  if (env.graph.idOf('repair') === null) return null;
  if (standsOn(env, state, 'plan')) return state;
  const direct = standsOn(env, state, 'completion_check');
  if (!direct && !canWalk(env, state, 'repair')) return null;
  const repairing = direct ? state : walk(env, state, 'repair');
  return canWalk(env, repairing, 'plan') ? walk(env, repairing, 'plan') : null;
}
