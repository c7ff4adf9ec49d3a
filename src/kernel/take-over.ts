import type { KernelEnv } from './env.ts';
import type { OpenEscalation } from './people-state.ts';
import type { Reaction } from './reaction.ts';
import { replan } from './replan.ts';
import type { RunState } from './state.ts';

/**
 * The next plan is made by the stronger model. It is verified, and what comes of it is judged, like any other: the run
 * goes on only with what holds, and what does not goes to people, because this happens once.
 */
export function takeOver(env: KernelEnv, state: RunState, { stop }: OpenEscalation): Reaction {
  const { step_id, ...detail } = stop.detail ?? {};
  const engaged: RunState = {
    ...state,
    planning: { ...state.planning, specialist: 'planning' },
    people: { ...state.people, escalation: null },
  };
  const reason = {
    code: stop.reason,
    step_id: typeof step_id === 'string' ? step_id : null,
    message: typeof detail['message'] === 'string' ? detail['message'] : 'nobody could rely on what was done before',
    detail,
  };
  return replan(env, engaged, { reason, trigger: 'low_confidence', code: 'LOW_CONFIDENCE' });
}
