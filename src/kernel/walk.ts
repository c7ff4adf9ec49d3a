import { Fault } from '../model/fault.ts';
import type { NodeRole } from '../model/graph.ts';
import type { KernelEnv } from './env.ts';
import type { RunState } from './state.ts';

/** Moves along the given nodes, one guarded edge of the compiled graph at a time, or not at all. */
export function walk(env: KernelEnv, state: RunState, ...roles: readonly NodeRole[]): RunState {
  const moves = state.position.moves.slice();
  let node = state.position.node;
  for (const role of roles) {
    const to = env.graph.idOf(role);
    const guard = to === null ? null : env.graph.edge(node, to);
    if (to === null || guard === null) {
      throw new Fault('illegal_edge', `there is no edge from ${node} to ${role} in ${env.graph.spec.name}`);
    }
    if (!guard(state)) throw new Fault('illegal_edge', `the guard from ${node} to ${to} does not hold`);
    moves.push(to);
    node = to;
  }
  return { ...state, position: { node, moves, transitions: state.position.transitions + roles.length } };
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
