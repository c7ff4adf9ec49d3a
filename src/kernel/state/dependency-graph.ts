/** A binary heap of integers; `pop` returns the smallest. */
interface MinQueue {
  push(value: number): void;
  pop(): number | undefined;
}

function minQueue(): MinQueue {
  const heap: number[] = [];
  const at = (place: number): number => heap[place] ?? Number.POSITIVE_INFINITY;
  return {
    push(value) {
      let place = heap.length;
      while (place > 0) {
        const parent = (place - 1) >> 1;
        if (at(parent) <= value) break;
        heap[place] = at(parent);
        place = parent;
      }
      heap[place] = value;
    },
    pop() {
      const top = heap[0];
      const last = heap.pop();
      if (last === undefined || heap.length === 0) return top;
      let place = 0;
      for (;;) {
        const left = 2 * place + 1;
        const child = at(left + 1) < at(left) ? left + 1 : left;
        if (!(at(child) < last)) break;
        heap[place] = at(child);
        place = child;
      }
      heap[place] = last;
      return top;
    },
  };
}

/** Any item with ids of items that must precede it: a step or a sub-task. */
export interface Dependent {
  readonly id: string;
  readonly depends_on?: readonly string[];
}

/**
 * The dependencies of a list, by index. Invalid input is tolerated so that all problems can be reported at once: an
 * unknown id gives no edge, and a node in or behind a cycle is left out of the order.
 */
export interface DependencyGraph {
  /** The first index if several nodes share an id. */
  readonly indexOf: ReadonlyMap<string, number>;
  readonly dependencies: readonly (readonly number[])[];
  readonly dependents: readonly (readonly number[])[];
  /** Dependencies first; ties go to the lower index. */
  readonly order: readonly number[];
  /** Position in `order`, or -1. */
  readonly rank: ArrayLike<number>;
  readonly repeated: readonly number[];
  readonly dangling: readonly Dangling[];
}

interface Dangling {
  readonly node: number;
  /** Index in `depends_on`. */
  readonly at: number;
}

/** Builds the graph in O(nodes + edges), plus the heap that keeps the order stable. */
export function buildGraph(nodes: readonly Dependent[]): DependencyGraph {
  const indexOf = new Map<string, number>();
  const repeated: number[] = [];
  nodes.forEach(({ id }, index) => {
    if (indexOf.has(id)) repeated.push(index);
    else indexOf.set(id, index);
  });
  const dangling: Dangling[] = [];
  const dependencies = nodes.map(({ depends_on: names }, node) =>
    names === undefined || names.length === 0 ? NO_NODES : resolveIds(names, node, indexOf, dangling),
  );
  const dependents = invertEdges(dependencies);
  const order = isInOrder(dependencies) ? [...nodes.keys()] : topologicalSort(dependencies, dependents);
  const rank = new Int32Array(nodes.length).fill(-1);
  order.forEach((node, place) => {
    rank[node] = place;
  });
  return { indexOf, dependencies, dependents, order, rank, repeated, dangling };
}

type Places = readonly number[];

/** One shared empty list, because most nodes of a plan have no dependencies or no dependents. */
const NO_NODES: Places = Object.freeze([]);

function resolveIds(
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

/** Inverts the edges: the dependents of each node. */
function invertEdges(dependencies: readonly Places[]): readonly Places[] {
  const lists = new Map<number, number[]>();
  dependencies.forEach((places, node) => {
    if (places === NO_NODES) return;
    for (const place of places) {
      const list = lists.get(place);
      if (list !== undefined) list.push(node);
      else lists.set(place, [node]);
    }
  });
  // Without edges, both lists are the same.
  return lists.size === 0 ? dependencies : dependencies.map((_, place) => lists.get(place) ?? NO_NODES);
}

/** True if every dependency precedes its node. The list is then already sorted. */
function isInOrder(dependencies: readonly Places[]): boolean {
  return dependencies.every((places, node) => places.every((place) => place < node));
}

/** Kahn's algorithm, without recursion so that a long chain cannot overflow the stack. */
function topologicalSort(dependencies: readonly Places[], dependents: readonly Places[]): number[] {
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
 * Returns the cycles among the unordered nodes, each once. Every unordered node depends on another unordered node, so
 * following such dependencies always reaches a node that was already visited.
 */
export function findCycles(graph: DependencyGraph): readonly (readonly number[])[] {
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
