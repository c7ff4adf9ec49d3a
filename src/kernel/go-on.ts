import { advance } from './advance.ts';
import { askPlanner } from './ask-planner.ts';
import { beginPlan } from './begin-plan.ts';
import type { KernelEnv } from './env.ts';
import { askedAgain } from './on-reload.ts';
import { NOTHING, type Reaction } from './reaction.ts';
import type { RunState } from './state.ts';
import { standsOn } from './walk.ts';

/** Picks up where the pause caught the run: nothing is asked twice, nothing is left out. */
export function goOn(env: KernelEnv, state: RunState): Reaction {
  if (state.ending.adrift !== undefined) {
    const { adrift: _, ...ending } = state.ending;
    return askedAgain(env, { ...state, ending });
  }
  if (state.ending.inFlight !== null) return [state, NOTHING];
  if (standsOn(env, state, 'plan')) return askPlanner(env, state, state.planning.reason);
  const approving = standsOn(env, state, 'plan_validation') || standsOn(env, state, 'human_approval');
  return approving ? beginPlan(env, state) : advance(env, state);
}
