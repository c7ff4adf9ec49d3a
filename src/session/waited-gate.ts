import { lanesOut } from '../kernel/lanes/open-lane.ts';
import type { RunState } from '../kernel/state.ts';

/** The name of the gate that a session waits at: its own, or the first that one of its lanes waits at; null at none. */
export function waitedGate(state: RunState): string | null {
  if (state.session.status !== 'awaiting_gate') return null;
  const inLanes = lanesOut(state).flatMap(({ waits }) => waits?.gates ?? []);
  return (state.people.gates[0] ?? inLanes[0])?.name ?? null;
}
