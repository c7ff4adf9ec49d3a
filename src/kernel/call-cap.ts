import { isRollingBack } from './rollback/step-at-hand.ts';
import type { RunState } from './state.ts';

/** The most calls that the run may make, for whoever counts them once more. What takes back is outside every cap. */
export function callCap(state: RunState): number | undefined {
  return state.budget === null || isRollingBack(state) ? undefined : state.budget.caps.tool_calls_max;
}
