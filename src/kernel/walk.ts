import { Fault } from '../model/fault.ts';
import type { NodeRole } from '../model/graph.ts';
import type { KernelEnv } from './env.ts';
import type { RunState } from './state.ts';

/** Moves along the given nodes, one guarded edge of the compiled graph at a time, or not at all. */
export function walk(env: KernelEnv, state: RunState, ...roles: readonly NodeRole[]): RunState {
  const { position } = state;
  let { node, visits } = position;
  let { moves } = position;
  for (const role of roles) {
    node = passEdge(env, state, visits, node, role);
    visits = countVisit(env, visits, node);
    moves = { to: node, before: moves };
  }
  return { ...state, position: { node, moves, transitions: position.transitions + roles.length, visits } };
}

type Visits = RunState['position']['visits'];

/** Only nodes with a limit are counted, so that a walk past all others costs one look-up. */
function countVisit(env: KernelEnv, visits: Visits, node: string): Visits {
  return env.graph.visitsMax(node) === Number.POSITIVE_INFINITY
    ? visits
    : { ...visits, [node]: visitsOf(visits, node) + 1 };
}

const visitsOf = (visits: Visits, node: string): number => (Object.hasOwn(visits, node) ? (visits[node] ?? 0) : 0);

const isSpent = (env: KernelEnv, visits: Visits, node: string): boolean => {
  const most = env.graph.visitsMax(node);
  return most !== Number.POSITIVE_INFINITY && visitsOf(visits, node) >= most;
};

/** Something was committed, or a person ends the run: whatever went round until then has come out. */
export function forgetVisits(state: RunState): RunState {
  return Object.keys(state.position.visits).length === 0
    ? state
    : { ...state, position: { ...state.position, visits: NO_VISITS } };
}

const NO_VISITS: Visits = Object.freeze({});

function passEdge(env: KernelEnv, state: RunState, visits: Visits, from: string, role: NodeRole): string {
  const to = env.graph.idOf(role);
  const guard = to === null ? null : env.graph.edge(from, to);
  if (to === null || guard === null) {
    throw new Fault('illegal_edge', `there is no edge from ${from} to ${role} in ${env.graph.spec.name}`);
  }
  if (!guard(state)) throw new Fault('illegal_edge', `the guard from ${from} to ${to} does not hold`);
  if (isSpent(env, visits, to)) {
    throw new Fault('illegal_edge', `${to} was come to as often as ${env.graph.spec.name} permits without a commit`);
  }
  return to;
}

/** Whether the graph has the edge, its guard holds now and the node beyond it may be come to once more. */
export function canWalk(env: KernelEnv, state: RunState, role: NodeRole): boolean {
  const to = env.graph.idOf(role);
  if (to === null || isSpent(env, state.position.visits, to)) return false;
  return env.graph.edge(state.position.node, to)?.(state) ?? false;
}

/** Whether the run stands on a node of this role. */
export function standsOn(env: KernelEnv, state: RunState, role: NodeRole): boolean {
  return env.graph.idOf(role) === state.position.node;
}
