import type { GraphDraft } from '../../model/graph.ts';

/** One order per graph, so that the address, the diagnostics and the drawing do not depend on how it was written. */
export function normalize(draft: GraphDraft): GraphDraft {
  return {
    ...draft,
    nodes: sorted(draft.nodes, (node) => node.id).map((node) =>
      node.writes === undefined ? node : { ...node, writes: sorted(node.writes, (write) => write) },
    ),
    edges: sorted(draft.edges, ({ from, to, guard = '', owner }) => `${from} ${to} ${guard} ${owner}`),
    guards: sorted(draft.guards, (declaration) => declaration.guard),
  };
}

/** By UTF-16 code units, the same on every machine. */
function sorted<T>(items: readonly T[], key: (item: T) => string): readonly T[] {
  return items
    .map((item) => ({ item, by: key(item) }))
    .sort((a, b) => (a.by < b.by ? -1 : a.by > b.by ? 1 : 0))
    .map(({ item }) => item);
}
