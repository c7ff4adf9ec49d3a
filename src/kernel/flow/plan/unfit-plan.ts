import type { JsonObject } from '../../../model/json/json.ts';
import type { KernelEnv } from '../../env.ts';
import type { RunState } from '../../state/run-state.ts';
import type { Reaction } from '../../transition/reaction.ts';
import { canWalk, isAtNode, walk } from '../../transition/walk.ts';
import { replan } from './replan.ts';

/** Marks a verified plan as unsuitable. */
export const markUnfit = (state: RunState): RunState => ({
  ...state,
  planning: { ...state.planning, verdict: 'replan' },
});

/** Replans because the call of a step cannot be built. */
export function replanUnfitStep(
  env: KernelEnv,
  state: RunState,
  stepId: string,
  problem: { readonly code: string; readonly message: string; readonly detail: JsonObject },
): Reaction {
  const reason = { code: problem.code, step_id: stepId, message: problem.message, detail: problem.detail };
  return replan(env, markUnfit(toValidation(env, state)), {
    reason,
    trigger: 'validation_failed',
    code: 'VALIDATION_FAIL',
  });
}

function toValidation(env: KernelEnv, state: RunState): RunState {
  if (isAtNode(env, state, 'plan_validation') || !canWalk(env, state, 'plan')) return state;
  return walk(env, state, 'plan', 'plan_validation');
}
