import { Fault } from '../model/fault.ts';
import type { NodeRole } from '../model/graph.ts';
import type { KernelEnv } from './env.ts';
import type { Way } from './graph/compiled-graph.ts';
import type { Position, RunState } from './state.ts';

/** Moves along the given nodes, one guarded edge of the compiled graph at a time, or not at all. */
export function walk(env: KernelEnv, state: RunState, ...roles: readonly NodeRole[]): RunState {
  return { ...state, position: positionAfter(env, state, roles) };
}

/** Where that leads, for whoever changes more of the state than where it stands. */
export function positionAfter(env: KernelEnv, state: RunState, roles: readonly NodeRole[]): Position {
  const { position } = state;
  let { node, visits } = position;
  let { moves } = position;
  for (const role of roles) {
    const way = openWay(env, state, node, role);
    node = way.to;
    visits = countVisit(env, visits, way);
    moves = { to: node, before: moves };
  }
  return { node, moves, transitions: position.transitions + roles.length, visits };
}

type Visits = Position['visits'];

/** Where every run begins, and what it is back to with whatever it commits. */
export const NO_VISITS: Visits = Object.freeze({});

/** Only nodes with a limit are counted. */
function countVisit({ graph }: KernelEnv, visits: Visits, { to, visitsMax }: Way<RunState>): Visits {
  if (visitsMax === Number.POSITIVE_INFINITY) return visits;
  const before = visitsOf(visits, to);
  if (before >= visitsMax) {
    throw new Fault('illegal_edge', `${to} was come to as often as ${graph.spec.name} permits without a commit`);
  }
  return { ...visits, [to]: before + 1 };
}

const visitsOf = (visits: Visits, node: string): number => (Object.hasOwn(visits, node) ? (visits[node] ?? 0) : 0);

/** Something was committed, or a person ends the run: whatever went round until then has come out. */
export function forgetVisits(state: RunState): RunState {
  return state.position.visits === NO_VISITS ? state : { ...state, position: { ...state.position, visits: NO_VISITS } };
}

function openWay({ graph }: KernelEnv, state: RunState, from: string, role: NodeRole): Way<RunState> {
  const way = graph.way(from, role);
  if (way === null) throw new Fault('illegal_edge', `there is no edge from ${from} to ${role} in ${graph.spec.name}`);
  if (way.guard(state)) return way;
  throw new Fault('illegal_edge', `the guard from ${from} to ${way.to} does not hold`);
}

/** Whether the graph has the edge, its guard holds now and the node beyond it may be come to once more. */
export function canWalk(env: KernelEnv, state: RunState, role: NodeRole): boolean {
  const { node, visits } = state.position;
  const way = env.graph.way(node, role);
  if (way === null || visitsOf(visits, way.to) >= way.visitsMax) return false;
  return way.guard(state);
}

/** Whether the run stands on a node of this role. */
export function standsOn(env: KernelEnv, state: RunState, role: NodeRole): boolean {
  return env.graph.idOf(role) === state.position.node;
}
