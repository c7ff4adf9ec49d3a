import type { JsonObject } from '../model/json.ts';
import type { KernelEnv } from './env.ts';
import type { Reaction } from './reaction.ts';
import { replan } from './replan.ts';
import type { RunState } from './state.ts';
import { canWalk, standsOn, walk } from './walk.ts';

/** A plan that was verified and has turned out not to do after all. */
export const unfit = (state: RunState): RunState => ({
  ...state,
  planning: { ...state.planning, verdict: 'replan' },
});

/** A step whose call cannot even be put together: another plan is asked for, with the exact reason. */
export function unfitStep(
  env: KernelEnv,
  state: RunState,
  stepId: string,
  problem: { readonly code: string; readonly message: string; readonly detail: JsonObject },
): Reaction {
  const reason = { code: problem.code, step_id: stepId, message: problem.message, detail: problem.detail };
  return replan(env, unfit(toValidation(env, state)), {
    reason,
    trigger: 'validation_failed',
    code: 'VALIDATION_FAIL',
  });
}

function toValidation(env: KernelEnv, state: RunState): RunState {
  if (standsOn(env, state, 'plan_validation') || !canWalk(env, state, 'plan')) return state;
  return walk(env, state, 'plan', 'plan_validation');
}
