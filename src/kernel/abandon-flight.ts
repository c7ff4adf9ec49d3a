import { raise } from './closing.ts';
import { callInDoubt } from './doubt.ts';
import type { KernelEnv } from './env.ts';
import { dropLanes } from './lanes/take-returned.ts';
import { specOfCall } from './real-tools.ts';
import type { RunState } from './state.ts';

/**
 * Stops waiting for an answer that will not come. A run that was only waiting for it in order to end ends without it,
 * and a call that could have changed something is named among the reasons: its effect is not assumed either way.
 */
export function abandonFlight(env: KernelEnv, state: RunState): RunState {
  const { current, ending } = state;
  const known = state.lanes === undefined ? state : dropLanes(state, 'not_heard_of');
  const grounded = { ...known, ending: { ...ending, inFlight: null } };
  const called = ending.inFlight === 'call' || ending.inFlight === 'probe';
  if (!called || current === null || !specOfCall(env, current).side_effect) return grounded;
  return raise(grounded, callInDoubt(current));
}
