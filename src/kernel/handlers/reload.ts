import { resendInFlight } from '../flow/people/resume-work.ts';
import type { RunState } from '../state/run-state.ts';
import { NO_EFFECTS, type Reacts } from '../transition/reaction.ts';

/** Requests the effects in flight again after another process took over, as far as that is harmless. */
export const onRunReloaded: Reacts<'run_reloaded'> = (env, state) => {
  const isWaiting =
    state.session.status === 'paused' && state.ending.inFlight !== null && state.ending.stops.length === 0;
  return isWaiting ? [markForResend(state), NO_EFFECTS] : resendInFlight(env, state);
};

/** A paused run sends nothing, so the effect is sent again when the run continues. */
const markForResend = (state: RunState): RunState => ({ ...state, ending: { ...state.ending, resendOnResume: true } });
