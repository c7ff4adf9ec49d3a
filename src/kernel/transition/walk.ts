import { Fault } from '../../model/fault/fault.ts';
import type { NodeRole } from '../../model/plan/graph.ts';
import type { KernelEnv } from '../env.ts';
import type { Edge } from '../graph/compiled-graph.ts';
import { ownGuardsOf } from '../query/own-guards.ts';
import type { Position, RunState } from '../state/run-state.ts';

/** Moves along the nodes of these roles, one guarded edge at a time. Throws if one edge is closed. */
export function walk(env: KernelEnv, state: RunState, ...roles: readonly NodeRole[]): RunState {
  return { ...state, position: positionAfter(env, state, roles) };
}

/** The position after a walk, for callers that change other parts of the state too. */
export function positionAfter(env: KernelEnv, state: RunState, roles: readonly NodeRole[]): Position {
  const { position } = state;
  let { node, visits } = position;
  let { moves } = position;
  for (const role of roles) {
    const edge = openEdge(env, state, node, role);
    node = edge.to;
    visits = countVisit(env, visits, edge);
    moves = { to: node, before: moves };
  }
  return { node, moves, transitions: position.transitions + roles.length, visits };
}

type Visits = Position['visits'];

/** The initial value; every commit resets the counts to it. */
export const NO_VISITS: Visits = Object.freeze({});

/** Counts only nodes with a limit. */
function countVisit({ graph }: KernelEnv, visits: Visits, { to, visitsMax }: Edge<RunState>): Visits {
  if (visitsMax === Number.POSITIVE_INFINITY) return visits;
  const before = visitsOf(visits, to);
  if (before >= visitsMax) {
    throw new Fault('illegal_edge', `${to} was come to as often as ${graph.spec.name} permits without a commit`);
  }
  return { ...visits, [to]: before + 1 };
}

const visitsOf = (visits: Visits, node: string): number => (Object.hasOwn(visits, node) ? (visits[node] ?? 0) : 0);

/** Resets the visit counts after a commit, or when a person ends the run. */
export function forgetVisits(state: RunState): RunState {
  return state.position.visits === NO_VISITS ? state : { ...state, position: { ...state.position, visits: NO_VISITS } };
}

function openEdge({ graph }: KernelEnv, state: RunState, from: string, role: NodeRole): Edge<RunState> {
  const edge = graph.edgeTo(from, role);
  if (edge === null) throw new Fault('illegal_edge', `there is no edge from ${from} to ${role} in ${graph.spec.name}`);
  if (edge.guard(state)) return edge;
  const own = ownGuardsOf({ edges: graph.spec.edges.filter((each) => each.from === from && each.to === edge.to) });
  if (own.length > 0) throw new Fault('guard_refused', `${own.join(' and ')} does not hold from ${from} to ${edge.to}`);
  throw new Fault('illegal_edge', `the guard from ${from} to ${edge.to} does not hold`);
}

/** Whether the graph has the edge, its guard holds and the visit limit of its target is not reached. */
export function canWalk(env: KernelEnv, state: RunState, role: NodeRole): boolean {
  const { node, visits } = state.position;
  const edge = env.graph.edgeTo(node, role);
  if (edge === null || visitsOf(visits, edge.to) >= edge.visitsMax) return false;
  return edge.guard(state);
}

export function isAtNode(env: KernelEnv, state: RunState, role: NodeRole): boolean {
  return env.graph.idOf(role) === state.position.node;
}

const TO_ELIGIBILITY: readonly NodeRole[] = ['action_selection', 'tool_eligibility'];
const FROM_PLAN: readonly NodeRole[] = ['plan', 'plan_validation', ...TO_ELIGIBILITY];

/** The path from the current node to the tool eligibility of a step. */
export function pathToEligibility(env: KernelEnv, state: RunState): readonly NodeRole[] {
  const planned = isAtNode(env, state, 'plan_validation') || isAtNode(env, state, 'human_approval');
  return planned ? TO_ELIGIBILITY : FROM_PLAN;
}
