import { minQueue } from './min-queue.ts';

/** Anything that names what must be done before it: a step, a sub-task. */
export interface Dependent {
  readonly id: string;
  readonly depends_on?: readonly string[];
}

/**
 * Who waits for whom, by place in the list. Tolerates what is wrong with a proposal, so that every problem
 * of it can be reported at once: a name that leads nowhere gives no edge, and what stands in or behind a
 * circle has no place in the order.
 */
export interface DependencyGraph {
  /** The first of several that share an id. */
  readonly indexOf: ReadonlyMap<string, number>;
  readonly dependencies: readonly (readonly number[])[];
  readonly dependents: readonly (readonly number[])[];
  /** Dependencies first; among those that could go next, the one that stands first in the list. */
  readonly order: readonly number[];
  /** Place in `order`, or -1. */
  readonly rank: ArrayLike<number>;
  readonly repeated: readonly number[];
  readonly dangling: readonly Dangling[];
}

export interface Dangling {
  readonly node: number;
  /** Place in `depends_on`. */
  readonly at: number;
}

/** O(nodes + edges), but for the queue that keeps the order stable. */
export function buildGraph(nodes: readonly Dependent[]): DependencyGraph {
  const indexOf = new Map<string, number>();
  const repeated: number[] = [];
  nodes.forEach(({ id }, index) => {
    if (indexOf.has(id)) repeated.push(index);
    else indexOf.set(id, index);
  });
  const dangling: Dangling[] = [];
  const dependencies = nodes.map(({ depends_on: names }, node) =>
    names === undefined || names.length === 0 ? NOBODY : found(names, node, indexOf, dangling),
  );
  const dependents = waiting(dependencies);
  const order = isInOrder(dependencies) ? [...nodes.keys()] : sort(dependencies, dependents);
  const rank = new Int32Array(nodes.length).fill(-1);
  order.forEach((node, place) => {
    rank[node] = place;
  });
  return { indexOf, dependencies, dependents, order, rank, repeated, dangling };
}

type Places = readonly number[];

/** Shared, because most of a plan waits for nobody, and nobody waits for it. */
const NOBODY: Places = Object.freeze([]);

function found(
  names: readonly string[],
  node: number,
  indexOf: ReadonlyMap<string, number>,
  dangling: Dangling[],
): Places {
  const places = new Set<number>();
  names.forEach((name, at) => {
    const index = indexOf.get(name);
    if (index === undefined) dangling.push({ node, at });
    else places.add(index);
  });
  return [...places];
}

/** Who waits for each: the same edges from the other end. */
function waiting(dependencies: readonly Places[]): readonly Places[] {
  const lists = new Map<number, number[]>();
  dependencies.forEach((places, node) => {
    if (places === NOBODY) return;
    for (const place of places) {
      const list = lists.get(place);
      if (list !== undefined) list.push(node);
      else lists.set(place, [node]);
    }
  });
  // Where nobody waits for anybody, the lists are the same from both ends.
  return lists.size === 0 ? dependencies : dependencies.map((_, place) => lists.get(place) ?? NOBODY);
}

/** Where each waits only for what stands before it, each can go as soon as all before it have gone. */
function isInOrder(dependencies: readonly Places[]): boolean {
  return dependencies.every((places, node) => places.every((place) => place < node));
}

/** Kahn's algorithm: no recursion, so that a chain of any length is only long. */
function sort(dependencies: readonly Places[], dependents: readonly Places[]): number[] {
  const waitsFor = Int32Array.from(dependencies, (list) => list.length);
  const ready = minQueue();
  waitsFor.forEach((count, node) => {
    if (count === 0) ready.push(node);
  });
  const order: number[] = [];
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    order.push(node);
    for (const dependent of dependents[node] ?? []) {
      const left = (waitsFor[dependent] ?? 0) - 1;
      waitsFor[dependent] = left;
      if (left === 0) ready.push(dependent);
    }
  }
  return order;
}

/**
 * Circles among what could not be ordered, each once. Everything left over waits for something left over,
 * so following one such wait from anywhere must come back to where it has been.
 */
export function circles(graph: DependencyGraph): readonly (readonly number[])[] {
  if (graph.order.length === graph.rank.length) return [];
  const trailOf = new Int32Array(graph.rank.length);
  const found: number[][] = [];
  for (let start = 0; start < graph.rank.length; start += 1) {
    const trail: number[] = [];
    let node = start;
    while (graph.rank[node] === -1 && trailOf[node] === 0) {
      trailOf[node] = start + 1;
      trail.push(node);
      node = graph.dependencies[node]?.find((dependency) => graph.rank[dependency] === -1) ?? node;
    }
    if (trail.length > 0 && trailOf[node] === start + 1) found.push(trail.slice(trail.indexOf(node)));
  }
  return found;
}
