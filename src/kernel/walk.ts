import { Fault } from '../model/fault.ts';
import type { NodeRole } from '../model/graph.ts';
import type { KernelEnv } from './env.ts';
import type { RunState } from './state.ts';

/** Moves along the given nodes, one guarded edge of the compiled graph at a time, or not at all. */
export function walk(env: KernelEnv, state: RunState, ...roles: readonly NodeRole[]): RunState {
  const { position } = state;
  const made: string[] = [];
  let node = position.node;
  for (const role of roles) {
    node = passEdge(env, state, node, role);
    made.push(node);
  }
  const moves = position.moves.length === 0 ? made : [...position.moves, ...made];
  return { ...state, position: { node, moves, transitions: position.transitions + roles.length } };
}

function passEdge(env: KernelEnv, state: RunState, from: string, role: NodeRole): string {
  const to = env.graph.idOf(role);
  const guard = to === null ? null : env.graph.edge(from, to);
  if (to === null || guard === null) {
    throw new Fault('illegal_edge', `there is no edge from ${from} to ${role} in ${env.graph.spec.name}`);
  }
  if (!guard(state)) throw new Fault('illegal_edge', `the guard from ${from} to ${to} does not hold`);
  return to;
}

/** Whether the graph has the edge and its guard holds now. */
export function canWalk(env: KernelEnv, state: RunState, role: NodeRole): boolean {
  const to = env.graph.idOf(role);
  const guard = to === null ? null : env.graph.edge(state.position.node, to);
  return guard?.(state) ?? false;
}

/** Whether the run stands on a node of this role. */
export function standsOn(env: KernelEnv, state: RunState, role: NodeRole): boolean {
  return env.graph.idOf(role) === state.position.node;
}
