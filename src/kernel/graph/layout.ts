import type { EdgeDraft, GraphDraft, GraphNode } from '../../model/plan/graph.ts';

/** A problem of a graph, with the check that found it and its location. */
export interface GraphDiagnostic {
  /** 1 to 6 are the numbered compilation checks; the others check their preconditions. */
  readonly check: 1 | 2 | 3 | 4 | 5 | 6 | 'outcome' | 'reference' | 'tier';
  readonly node?: string;
  /** `from -> to` */
  readonly edge?: string;
  readonly message: string;
}

export function edgeLabel(edge: { readonly from: string; readonly to: string }): string {
  return `${edge.from} -> ${edge.to}`;
}

/**
 * Strongly connected components by Tarjan's algorithm, in linear time. The call stack is kept in arrays, so a long
 * chain cannot overflow it. Components are lists of node numbers, sinks first.
 */
export function components(successors: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const count = successors.length;
  const order = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const taken = new Int32Array(count);
  const open: number[] = [];
  const isOpen = new Uint8Array(count);
  const found: number[][] = [];
  let visited = 0;

  const enter = (node: number, path: number[]): void => {
    order[node] = visited;
    low[node] = visited;
    visited += 1;
    open.push(node);
    isOpen[node] = 1;
    path.push(node);
  };

  const close = (root: number): void => {
    const start = open.lastIndexOf(root);
    const component = open.splice(start);
    for (const node of component) isOpen[node] = 0;
    found.push(component.sort((a, b) => a - b));
  };

  for (let root = 0; root < count; root += 1) {
    if (at(order, root) !== -1) continue;
    const path: number[] = [];
    enter(root, path);
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      const next = successors[node]?.[at(taken, node)];
      if (next !== undefined) {
        taken[node] = at(taken, node) + 1;
        if (at(order, next) === -1) enter(next, path);
        else if (isOpen[next] === 1) low[node] = Math.min(at(low, node), at(order, next));
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent !== undefined) low[parent] = Math.min(at(low, parent), at(low, node));
      if (at(low, node) === at(order, node)) close(node);
    }
  }
  return found;
}

function at(numbers: Int32Array, index: number): number {
  return numbers[index] ?? 0;
}

/** A graph with numbered nodes, built once for all checks. Edges to missing nodes are left out. */
export interface Layout {
  readonly draft: GraphDraft;
  /** The first node of each id; duplicates are reported but not analysed. */
  readonly nodes: readonly GraphNode[];
  readonly numberOf: ReadonlyMap<string, number>;
  readonly edges: readonly PlacedEdge[];
  /** Outgoing edges by node. */
  readonly leaving: readonly (readonly PlacedEdge[])[];
}

export interface PlacedEdge {
  readonly from: number;
  readonly to: number;
  readonly draft: EdgeDraft;
  /** The edge is taken because the run must stop or escalate, not because the node's work is done. */
  readonly interrupts: boolean;
}

export function buildLayout(draft: GraphDraft): Layout {
  const numberOf = new Map<string, number>();
  const nodes: GraphNode[] = [];
  for (const node of draft.nodes) {
    if (numberOf.has(node.id)) continue;
    numberOf.set(node.id, nodes.length);
    nodes.push(node);
  }
  const halts = interruptGuards(draft);
  const edges: PlacedEdge[] = [];
  const leaving: PlacedEdge[][] = nodes.map(() => []);
  for (const edge of draft.edges) {
    const from = numberOf.get(edge.from);
    const to = numberOf.get(edge.to);
    if (from === undefined || to === undefined) continue;
    const placed = { from, to, draft: edge, interrupts: edge.guard !== undefined && halts.has(edge.guard) };
    edges.push(placed);
    leaving[from]?.push(placed);
  }
  return { draft, nodes, numberOf, edges, leaving };
}

/** Guards of all outcomes other than success, which can occur at any node. */
export function interruptGuards(draft: GraphDraft): ReadonlySet<string> {
  const { failure, cancellation, escalation, budget_exhaustion } = draft.outcomes;
  const paths = [failure, cancellation, escalation, budget_exhaustion];
  return new Set(paths.flatMap((path) => (path === undefined ? [] : [path.guard])));
}

/** Marks the nodes reachable from `starts`, along edges or against them. */
export function findReachable(
  layout: Layout,
  starts: readonly number[],
  direction: 'along' | 'against',
): readonly boolean[] {
  const next: number[][] = layout.nodes.map(() => []);
  for (const { from, to } of layout.edges) {
    if (direction === 'along') next[from]?.push(to);
    else next[to]?.push(from);
  }
  const reached = layout.nodes.map(() => false);
  const queue = [...starts];
  for (const start of starts) reached[start] = true;
  for (const node of queue) {
    for (const to of next[node] ?? []) {
      if (reached[to] === true) continue;
      reached[to] = true;
      queue.push(to);
    }
  }
  return reached;
}
