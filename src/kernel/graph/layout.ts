import type { EdgeDraft, GraphDraft, GraphNode } from '../../model/plan/graph.ts';

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
