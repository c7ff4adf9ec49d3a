import { Fault } from '../../model/fault.ts';
import type { GraphNode, GraphSpec, NodeRole } from '../../model/graph.ts';
import type { Address } from '../../model/hash.ts';

/** A pure question about the state of a run. */
export type Guard<S> = (state: S) => boolean;

/** Guards by `name@version`. */
export type GuardTable<S> = Readonly<Record<string, Guard<S>>>;

/** One edge, with what a walk along it has to know. */
export interface Way<S> {
  readonly to: string;
  readonly guard: Guard<S>;
  /** How often a run may come there before it commits something; Infinity where the graph does not say. */
  readonly visitsMax: number;
}

/** A graph that passed every check. Nothing about it can change any more. */
export interface CompiledGraph<S> {
  readonly spec: GraphSpec;
  /** The address of the spec, guard names and versions included. */
  readonly hash: Address;
  /** Where a node of this role is come to from here, or null where no edge leads there. */
  way(from: string, role: NodeRole): Way<S> | null;
  /** The guard between two nodes, or null where there is no edge. */
  edge(from: string, to: string): Guard<S> | null;
  /** Every node an edge leads to, sorted. */
  exits(from: string): readonly string[];
  /** Those exits that a model may ask for. */
  choices(from: string): readonly string[];
  node(id: string): GraphNode;
  /** The node of this role; where there are several, the first by id. */
  idOf(role: NodeRole): string | null;
}

/** By own property: the name comes from a spec, and specs come from strangers. */
export function suppliedGuard<S>(guards: GuardTable<S>, name: string): Guard<S> | null {
  const guard = Object.hasOwn(guards, name) ? guards[name] : undefined;
  return typeof guard === 'function' ? guard : null;
}

const NOWHERE: readonly string[] = Object.freeze([]);

/** Takes the guards out of their table once, so that no later change of the table reaches the graph. */
export function lookUp<S>(spec: GraphSpec, hash: Address, guards: GuardTable<S>): CompiledGraph<S> {
  const nodes = new Map(spec.nodes.map((node) => [node.id, node]));
  const ids = new Map<NodeRole, string>();
  for (const { id, role } of spec.nodes) if (!ids.has(role)) ids.set(role, id);
  const edges = joinEdges(spec, guards);
  const exits = new Map([...edges].map(([from, targets]) => [from, Object.freeze([...targets.keys()])]));
  const choices = modelChoices(spec);
  const ways = waysBy(ids, edges, retryLimits(spec));
  return Object.freeze<CompiledGraph<S>>({
    spec,
    hash,
    way: (from, role) => ways.get(from)?.get(role) ?? null,
    edge: (from, to) => edges.get(from)?.get(to) ?? null,
    exits: (from) => exits.get(from) ?? NOWHERE,
    choices: (from) => choices.get(from) ?? NOWHERE,
    node: (id) => {
      const node = nodes.get(id);
      if (node === undefined) throw new Fault('input_invalid', `the graph ${spec.name} has no node ${id}`);
      return node;
    },
    idOf: (role) => ids.get(role) ?? null,
  });
}

/** Questions are counted over the whole run, by whoever asks them; every other limit is one on visits. */
function retryLimits(spec: GraphSpec): ReadonlyMap<string, number> {
  return new Map(
    spec.nodes.flatMap(({ id, role, bound }): readonly [string, number][] =>
      bound?.kind === 'retry_limit' && role !== 'ask_user' ? [[id, bound.max]] : [],
    ),
  );
}

/** Two edges between the same nodes become one guard here, so that asking costs two look-ups and no allocation. */
function joinEdges<S>(spec: GraphSpec, guards: GuardTable<S>): ReadonlyMap<string, ReadonlyMap<string, Guard<S>>> {
  const joined = new Map<string, Map<string, Guard<S>>>();
  for (const { from, to, guard: name } of spec.edges) {
    const guard = suppliedGuard(guards, name);
    if (guard === null) throw new Fault('guard_unknown', `nobody supplies the guard ${name}`);
    const targets = joined.get(from) ?? new Map<string, Guard<S>>();
    const other = targets.get(to);
    targets.set(to, other === undefined ? guard : (state) => other(state) || guard(state));
    joined.set(from, targets);
  }
  return joined;
}

/** Every walk of every run goes along these, so what it asks about an edge is put together once. */
function waysBy<S>(
  ids: ReadonlyMap<NodeRole, string>,
  edges: ReadonlyMap<string, ReadonlyMap<string, Guard<S>>>,
  limits: ReadonlyMap<string, number>,
): ReadonlyMap<string, ReadonlyMap<NodeRole, Way<S>>> {
  const ways = new Map<string, Map<NodeRole, Way<S>>>();
  for (const [from, targets] of edges) {
    const byRole = new Map<NodeRole, Way<S>>();
    for (const [role, to] of ids) {
      const guard = targets.get(to);
      if (guard === undefined) continue;
      byRole.set(role, Object.freeze({ to, guard, visitsMax: limits.get(to) ?? Number.POSITIVE_INFINITY }));
    }
    ways.set(from, byRole);
  }
  return ways;
}

function modelChoices(spec: GraphSpec): ReadonlyMap<string, readonly string[]> {
  const chosen = new Map<string, Set<string>>();
  for (const { from, to, owner } of spec.edges) {
    if (owner !== 'model') continue;
    chosen.set(from, (chosen.get(from) ?? new Set()).add(to));
  }
  return new Map([...chosen].map(([from, targets]) => [from, Object.freeze([...targets])]));
}
