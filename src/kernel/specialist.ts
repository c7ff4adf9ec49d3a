import type { Endpoint } from '../model/escalation.ts';
import { remaining } from './budget-view.ts';
import type { KernelEnv } from './env.ts';
import type { RunState } from './state.ts';

/**
 * Whether a stronger model may take over where nobody can rely on what was done: once a run, where there is one, where
 * the boundary lets the run turn to it, and where there is a plan left for it to make.
 */
export function mayTakeOver(env: KernelEnv, state: RunState): boolean {
  if (env.specialist !== true || state.planning.specialist !== 'unused' || state.budget === null) return false;
  if (state.ending.stops.length > 0 || env.graph.idOf('repair') === null) return false;
  return pathsOf(state).includes('specialist_model') && remaining(state.budget).replan_attempts >= 1;
}

const pathsOf = ({ manifest }: RunState): readonly Endpoint[] => manifest?.autonomy_boundary.escalation_paths ?? [];

/** Whom the run may turn to. A model that is not there, or has had its turn, is nobody to wait for. */
export function openPaths(env: KernelEnv, state: RunState, trigger: string): readonly Endpoint[] {
  const named = pathsOf(state);
  if (!named.includes('specialist_model') || (trigger === 'low_confidence' && mayTakeOver(env, state))) return named;
  const people = named.filter((path) => path !== 'specialist_model');
  return people.length === 0 ? named : people;
}
