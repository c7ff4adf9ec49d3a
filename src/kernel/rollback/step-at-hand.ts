import type { PlanStep } from '../../model/plan.ts';
import type { RunState } from '../state.ts';

/** Whether the run is only still there to take back what it has done. */
export const isRollingBack = ({ ending }: RunState): boolean => ending.rollback !== undefined && !ending.closing;

/** The step of the call at hand: one of the plan, or the one that takes an effect back, which no plan holds. */
export function stepAtHand(state: RunState): PlanStep | undefined {
  const { current, planning } = state;
  if (current === null) return undefined;
  if (isRollingBack(state)) return { id: current.stepId, tool: current.tool };
  return planning.active?.plan.steps[current.index];
}
