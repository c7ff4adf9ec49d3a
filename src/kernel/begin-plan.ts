import { advance } from './advance.ts';
import type { KernelEnv } from './env.ts';
import { nextStep } from './next-step.ts';
import { openPlanGate } from './open-gates.ts';
import { NOTHING, type Reaction } from './reaction.ts';
import type { RunState } from './state.ts';
import { isHeld } from './suspend.ts';

/** Starts on a verified plan: with its first step, or with the person who has to approve it before there is one. */
export function beginPlan(env: KernelEnv, state: RunState): Reaction {
  if (isHeld(state.session.status)) return [state, NOTHING];
  const askFirst = nextStep(state) !== null && !startsAtOnce(env, state);
  return askFirst ? openPlanGate(env, state) : advance(env, state);
}

/** Whether validation leads straight to work. Where it does not, a person is asked about this very plan first. */
function startsAtOnce(env: KernelEnv, state: RunState): boolean {
  const [from, to] = [env.graph.idOf('plan_validation'), env.graph.idOf('action_selection')];
  return from !== null && to !== null && env.graph.edge(from, to)?.(state) === true;
}
