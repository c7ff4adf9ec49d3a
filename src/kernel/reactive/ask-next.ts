import type { PlanReason } from '../../model/effect.ts';
import { askPlanner } from '../ask-planner.ts';
import { raise } from '../closing.ts';
import type { KernelEnv } from '../env.ts';
import { NOTHING, type Reaction } from '../reaction.ts';
import type { RunState } from '../state.ts';
import { walk } from '../walk.ts';
import { routeOf, tooManySteps } from './route-of.ts';

/** Gives control back to whoever decides the next step, unless there may be no next step. */
export function askNext(env: KernelEnv, state: RunState, reason: PlanReason | null): Reaction {
  if (routeOf(env, state).to === 'error') return [raise(state, tooManySteps(env, state)), NOTHING];
  return askPlanner(env, walk(env, state, 'plan'), reason);
}
