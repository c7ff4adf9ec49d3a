import { Fault } from '../../model/fault/fault.ts';
import type { Address } from '../../model/json/hash.ts';
import type { GraphNode, GraphSpec, NodeRole } from '../../model/plan/graph.ts';

/** A pure predicate over the state of a run. */
export type Guard<S> = (state: S) => boolean;

/** Guards by `name@version`, such as `plan_ok@1`. */
export type GuardTable<S> = Readonly<Record<string, Guard<S>>>;

/** An edge with what a walk needs to know about it. */
export interface Edge<S> {
  readonly to: string;
  readonly guard: Guard<S>;
  /** Maximum visits of the target node between two commits; `Infinity` if the graph sets none. */
  readonly visitsMax: number;
}

/** An immutable graph that passed every check. */
export interface CompiledGraph<S> {
  readonly spec: GraphSpec;
  /** Address of the spec, including guard names and versions. */
  readonly hash: Address;
  /** The edge from this node to the node of a role; null if there is none. */
  edgeTo(from: string, role: NodeRole): Edge<S> | null;
  /** The guard between two nodes; null if there is no edge. */
  edge(from: string, to: string): Guard<S> | null;
  /** The targets of all edges from this node, sorted. */
  exits(from: string): readonly string[];
  /** The exits that a model may request. */
  choices(from: string): readonly string[];
  node(id: string): GraphNode;
  /** The node with this role; the first by id if there are several. */
  idOf(role: NodeRole): string | null;
}

/** Looks up an own property only, because the name comes from an untrusted spec. */
export function suppliedGuard<S>(guards: GuardTable<S>, name: string): Guard<S> | null {
  const guard = Object.hasOwn(guards, name) ? guards[name] : undefined;
  return typeof guard === 'function' ? guard : null;
}

const NO_TARGETS: readonly string[] = Object.freeze([]);

/** Builds the lookup tables. Guards are read once, so later changes of the guard table do not reach the graph. */
export function buildCompiledGraph<S>(spec: GraphSpec, hash: Address, guards: GuardTable<S>): CompiledGraph<S> {
  const nodes = new Map(spec.nodes.map((node) => [node.id, node]));
  const ids = new Map<NodeRole, string>();
  for (const { id, role } of spec.nodes) if (!ids.has(role)) ids.set(role, id);
  const edges = joinEdges(spec, guards);
  const exits = new Map([...edges].map(([from, targets]) => [from, Object.freeze([...targets.keys()])]));
  const choices = modelChoices(spec);
  const edgesByRole = indexEdgesByRole(ids, edges, retryLimits(spec));
  return Object.freeze<CompiledGraph<S>>({
    spec,
    hash,
    edgeTo: (from, role) => edgesByRole.get(from)?.get(role) ?? null,
    edge: (from, to) => edges.get(from)?.get(to) ?? null,
    exits: (from) => exits.get(from) ?? NO_TARGETS,
    choices: (from) => choices.get(from) ?? NO_TARGETS,
    node: (id) => {
      const node = nodes.get(id);
      if (node === undefined) throw new Fault('input_invalid', `the graph ${spec.name} has no node ${id}`);
      return node;
    },
    idOf: (role) => ids.get(role) ?? null,
  });
}

/** Visit limits by node id. `ask_user` is left out, because questions are counted over the whole run elsewhere. */
function retryLimits(spec: GraphSpec): ReadonlyMap<string, number> {
  return new Map(
    spec.nodes.flatMap(({ id, role, bound }): readonly [string, number][] =>
      bound?.kind === 'retry_limit' && role !== 'ask_user' ? [[id, bound.max]] : [],
    ),
  );
}

/** Merges two edges between the same nodes into one guard, so that a lookup allocates nothing. */
function joinEdges<S>(spec: GraphSpec, guards: GuardTable<S>): ReadonlyMap<string, ReadonlyMap<string, Guard<S>>> {
  const joined = new Map<string, Map<string, Guard<S>>>();
  for (const { from, to, guard: name } of spec.edges) {
    const guard = suppliedGuard(guards, name);
    if (guard === null) throw new Fault('guard_unknown', `the guard ${name} is not supplied`);
    const targets = joined.get(from) ?? new Map<string, Guard<S>>();
    const other = targets.get(to);
    targets.set(to, other === undefined ? guard : (state) => other(state) || guard(state));
    joined.set(from, targets);
  }
  return joined;
}

/** Precomputes the edges by role, because every walk of every run uses them. */
function indexEdgesByRole<S>(
  ids: ReadonlyMap<NodeRole, string>,
  edges: ReadonlyMap<string, ReadonlyMap<string, Guard<S>>>,
  limits: ReadonlyMap<string, number>,
): ReadonlyMap<string, ReadonlyMap<NodeRole, Edge<S>>> {
  const index = new Map<string, Map<NodeRole, Edge<S>>>();
  for (const [from, targets] of edges) {
    const byRole = new Map<NodeRole, Edge<S>>();
    for (const [role, to] of ids) {
      const guard = targets.get(to);
      if (guard === undefined) continue;
      byRole.set(role, Object.freeze({ to, guard, visitsMax: limits.get(to) ?? Number.POSITIVE_INFINITY }));
    }
    index.set(from, byRole);
  }
  return index;
}

function modelChoices(spec: GraphSpec): ReadonlyMap<string, readonly string[]> {
  const chosen = new Map<string, Set<string>>();
  for (const { from, to, owner } of spec.edges) {
    if (owner !== 'model') continue;
    chosen.set(from, (chosen.get(from) ?? new Set()).add(to));
  }
  return new Map([...chosen].map(([from, targets]) => [from, Object.freeze([...targets])]));
}
