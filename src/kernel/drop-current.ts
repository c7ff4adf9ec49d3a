import { release } from './budget.ts';
import type { RunState } from './state.ts';

/** Lets go of the step under way. What was set aside for a call that was never made is given back. */
export function dropCurrent(state: RunState): RunState {
  const reserved = state.current?.reserved ?? null;
  if (reserved === null || state.budget === null) return { ...state, current: null };
  return { ...state, current: null, budget: release(state.budget, reserved, 'executor') };
}

/** What a run that ends had set aside for a call it never sent is free again; what may have been sent stays charged. */
export function releaseUnsent(state: RunState): RunState {
  const { current, budget } = state;
  if (current === null || current.call !== null || current.reserved === null || budget === null) return state;
  return {
    ...state,
    current: { ...current, reserved: null },
    budget: release(budget, current.reserved, 'executor'),
  };
}
