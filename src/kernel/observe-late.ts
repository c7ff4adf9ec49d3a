import { NO_COST } from '../model/tool.ts';
import { settle } from './budget.ts';
import type { KernelEnv } from './env.ts';
import { exposedBy } from './on-call.ts';
import { impossible, type Reaction } from './reaction.ts';
import type { CurrentStep, ObservedState, RunState } from './state.ts';
import { vecPush } from './vec.ts';
import { standsOn, walk } from './walk.ts';

/** What was found out about a call whose own answer was lost, and by whom. */
type Found = Pick<ObservedState, 'raw' | 'detail' | 'foundBy' | 'stored'>;

/** Its answer was lost and is known after all: it is verified like any other. */
export function observeLate(env: KernelEnv, state: RunState, current: CurrentStep, found: Found): Reaction {
  if (current.call === null) throw impossible('an answer to a call that was never sent', state);
  const { callId } = current.call;
  const paid = current.reserved === null || state.budget === null ? null : current.reserved;
  const observed: RunState = {
    ...state,
    // What the lost answer cost nobody knows; what was set aside for it counts as spent.
    budget: paid === null || state.budget === null ? state.budget : settle(state.budget, paid, paid, 'executor').budget,
    planning: exposedBy(env, state, current),
    current: {
      ...current,
      rung: 'observed',
      reserved: null,
      observed: { outcome: 'ok', spent: NO_COST, confirmed: [], ...found },
    },
    // A call that came back badly is on the list already.
    work:
      current.rung === 'failed' ? state.work : { ...state.work, transcripts: vecPush(state.work.transcripts, callId) },
  };
  const captured = standsOn(env, observed, 'observation_verification')
    ? observed
    : walk(env, observed, 'observation_capture', 'observation_verification');
  return [captured, [{ kind: 'verify_step', call_id: callId }]];
}
