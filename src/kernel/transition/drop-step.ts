import { releaseReservation } from '../budget/budget.ts';
import type { RunState } from '../state/run-state.ts';

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
