import type { Effect, Flight } from '../../model/events/effect.ts';
import { impossibleEvent } from '../state/impossible.ts';
import type { RunState } from '../state/run-state.ts';
import { NO_EFFECTS, type Reaction } from './reaction.ts';

/** Requests an outside effect. A run that is about to end requests none. */
export function launch(state: RunState, flight: Flight, effect: Effect): Reaction {
  if (state.ending.stops.length > 0) return [state, NO_EFFECTS];
  return [{ ...state, ending: { ...state.ending, inFlight: flight } }, [effect]];
}

/** Accepts the answer to a flight. An unexpected or second answer is refused. */
export function land(state: RunState, flight: Flight): RunState {
  if (state.ending.inFlight !== flight) throw impossibleEvent(`an answer to ${flight} that nobody waits for`, state);
  return { ...state, ending: { ...state.ending, inFlight: null } };
}
