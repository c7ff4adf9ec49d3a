import type { CallSpent } from '../../model/tool/tool.ts';
import type { RunState } from './run-state.ts';

/** Amounts to add to the meters. */
export interface Metered {
  readonly gpu_ms: number;
  readonly human_reviews: number;
}

export function addMetered(state: RunState, { gpu_ms, human_reviews }: Metered): RunState {
  if (gpu_ms === 0 && human_reviews === 0) return state;
  const { gpuMs, humanReviews } = state.counters;
  const counters = { ...state.counters, gpuMs: gpuMs + gpu_ms, humanReviews: humanReviews + human_reviews };
  return { ...state, counters };
}

/** Meters the GPU time that a tool reported with its answer. */
export const meterGpu = (state: RunState, { gpu_ms = 0 }: CallSpent): RunState =>
  addMetered(state, { gpu_ms, human_reviews: 0 });

/** Meters a decision of a person about the run: at a gate, on an escalation, or on a budget. */
export const meterReview = (state: RunState): RunState => addMetered(state, { gpu_ms: 0, human_reviews: 1 });
