import type { Effect, Flight } from '../model/effect.ts';
import { impossible, NOTHING, type Reaction } from './reaction.ts';
import type { RunState } from './state.ts';

/** Sends something out into the world. A run that is about to end sends nothing more. */
export function launch(state: RunState, flight: Flight, effect: Effect): Reaction {
  if (state.ending.stops.length > 0) return [state, NOTHING];
  return [{ ...state, ending: { ...state.ending, inFlight: flight } }, [effect]];
}

/** Takes an answer in. An answer nobody waits for, or the second one, is refused. */
export function land(state: RunState, flight: Flight): RunState {
  if (state.ending.inFlight !== flight) throw impossible(`an answer to ${flight} that nobody waits for`, state);
  return { ...state, ending: { ...state.ending, inFlight: null } };
}
