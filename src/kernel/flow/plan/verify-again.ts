import type { Json } from '../../../model/json/json.ts';
import type { KernelEnv } from '../../env.ts';
import { nextStep } from '../../query/plan/steps.ts';
import type { RunState } from '../../state/run-state.ts';
import { dropCurrent, type Reaction } from '../../transition/reaction.ts';
import { isAtNode, walk } from '../../transition/walk.ts';

/**
 * Verifies the active plan again if the tools of the run have changed since its verification. Null if they have not, or
 * if no step is left.
 */
export function verifyAgain(env: KernelEnv, state: RunState): Reaction | null {
  const { active, unverified } = state.planning;
  if (unverified === undefined || active === null || nextStep(state) === null) return null;
  const { plan, author, filled, tainted } = active;
  const proposal = plan as unknown as Json;
  const planning = { ...state.planning, proposal, author, filled, tainted, verdict: null };
  const proposed: RunState = { ...dropCurrent(state), planning };
  // An edited plan is verified at the approval node too: the graph has no edge from there to validation.
  const isInPlace = isAtNode(env, state, 'plan_validation') || isAtNode(env, state, 'human_approval');
  const placed = isInPlace ? proposed : walk(env, proposed, 'plan', 'plan_validation');
  return [placed, [{ kind: 'verify_plan', proposal }]];
}
