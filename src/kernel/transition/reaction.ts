import type { Effect, Flight } from '../../model/events/effect.ts';
import type { EventOf, EventType } from '../../model/events/event.ts';
import type { Stop } from '../../model/fault/terminal-code.ts';
import { releaseReservation } from '../budget/budget.ts';
import type { KernelEnv } from '../env.ts';
import { impossibleEvent } from '../state/lifecycle.ts';
import type { RunState } from '../state/run-state.ts';

/** The next state and the effects of one event. */
export type Reaction = readonly [next: RunState, effects: readonly Effect[]];

/** The handler of one event type. Throws a Fault if the event is impossible. */
export type Reacts<T extends EventType> = (env: KernelEnv, state: RunState, event: EventOf<T>) => Reaction;

export const NO_EFFECTS: readonly Effect[] = Object.freeze([]);

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

/** Drops the current step and releases its reservation. */
export function dropCurrent(state: RunState): RunState {
  const reserved = state.current?.reserved ?? null;
  if (reserved === null || state.budget === null) return { ...state, current: null };
  return { ...state, current: null, budget: releaseReservation(state.budget, reserved, 'executor') };
}

/** Releases the reservation of an unsent call when the run ends. A call that may have been sent stays charged. */
export function releaseUnsent(state: RunState): RunState {
  const { current, budget } = state;
  if (current === null || current.call !== null || current.reserved === null || budget === null) return state;
  return {
    ...state,
    current: { ...current, reserved: null },
    budget: releaseReservation(budget, current.reserved, 'executor'),
  };
}

/** Records a stop condition. The strongest one is chosen when nothing is in flight any more. */
export function raise(state: RunState, stop: Stop): RunState {
  return { ...state, ending: { ...state.ending, stops: [...state.ending.stops, stop] } };
}
