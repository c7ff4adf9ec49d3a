import { isUntrusted } from '../../../model/evidence/origin.ts';
import { NO_COST } from '../../../model/tool/tool.ts';
import { settle } from '../../budget/budget.ts';
import type { KernelEnv } from '../../env.ts';
import { callInDoubt, noteDoubt } from '../../query/call/doubt.ts';
import { specOfCall } from '../../query/plan/tools.ts';
import type { ObservedState } from '../../state/call-state.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import { hasRule } from '../../state/rules.ts';
import type { CurrentStep, RunState } from '../../state/run-state.ts';
import { vecPush } from '../../state/vec.ts';
import { type Reaction, raise } from '../../transition/reaction.ts';
import { isAtNode, walk } from '../../transition/walk.ts';
import { dropLanes } from '../lane/lane.ts';

/** The recovered answer of a call, and its source. */
type RecoveredAnswer = Pick<ObservedState, 'raw' | 'detail' | 'foundBy' | 'stored'>;

/** Observes the recovered answer of a call. It is verified like any other. */
export function observeLate(env: KernelEnv, state: RunState, current: CurrentStep, found: RecoveredAnswer): Reaction {
  if (current.call === null) throw impossibleEvent('an answer to a call that was never sent', state);
  const { callId } = current.call;
  const paid = current.reserved === null || state.budget === null ? null : current.reserved;
  const observed: RunState = {
    ...state,
    // The cost of the lost answer is unknown, so the reservation counts as spent.
    budget: paid === null || state.budget === null ? state.budget : settle(state.budget, paid, paid, 'executor').budget,
    planning: exposePlanning(env, state, current),
    current: {
      ...current,
      rung: 'observed',
      reserved: null,
      observed: { outcome: 'ok', spent: NO_COST, confirmed: [], ...found },
    },
    // A failed call is already in the list.
    work:
      current.rung === 'failed' ? state.work : { ...state.work, transcripts: vecPush(state.work.transcripts, callId) },
  };
  const captured = isAtNode(env, observed, 'observation_verification')
    ? observed
    : walk(env, observed, 'observation_capture', 'observation_verification');
  return [captured, [{ kind: 'verify_step', call_id: callId }]];
}

/** Stops waiting for an answer, so that the run can end. A call that may have had an effect is noted as in doubt. */
export function abandonFlight(env: KernelEnv, state: RunState): RunState {
  const { current, ending } = state;
  const known = state.lanes === undefined ? state : dropLanes(state, 'not_heard_of');
  const withoutFlight = { ...known, ending: { ...ending, inFlight: null } };
  const isCallOrProbe = ending.inFlight === 'call' || ending.inFlight === 'probe';
  if (!isCallOrProbe || current === null || !specOfCall(env, current).side_effect) return withoutFlight;
  if (!hasRule(state, 'tools_in_doubt')) return raise(withoutFlight, callInDoubt(current));
  const noted = noteDoubt(env, withoutFlight, specOfCall(env, current));
  return noted === withoutFlight ? noted : raise(noted, callInDoubt(current));
}

/** Marks planning as exposed once a planner may read a result of an untrusted tool or of untrusted arguments. */
export function exposePlanning(env: KernelEnv, { planning }: RunState, current: CurrentStep): RunState['planning'] {
  if (planning.exposed || (specOfCall(env, current).trusted && !isUntrusted(current.origin))) return planning;
  return { ...planning, exposed: true };
}
