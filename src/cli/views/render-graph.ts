import type { DescribedAgent } from '../../records.ts';

type GraphSpec = DescribedAgent['graph'];

/** Renders each node with its edges and their guards. `⇒` marks an edge that the model chooses. */
export function renderGraphText({ name, version, tier, entry, nodes, edges }: GraphSpec): string {
  const lines = sortNodes(entry, nodes, edges).flatMap(({ id, role, terminal }) => {
    const mark = id === entry ? '► ' : terminal === true ? '■ ' : '  ';
    const exits = edges.filter(({ from }) => from === id);
    const width = Math.max(0, ...exits.map(({ to }) => to.length));
    return [
      `${mark}${id}${role === id ? '' : ` (${role})`}`,
      ...exits.map(({ to, guard, owner }) => `    ${owner === 'model' ? '⇒' : '→'} ${to.padEnd(width)}  ${guard}`),
    ];
  });
  return [`${name} version ${version}, tier ${tier}`, ...lines].join('\n');
}

/** Renders a graph for Graphviz. Ids and guards are names, so they need no escaping. */
export function renderGraphDot({ name, entry, nodes, edges }: GraphSpec): string {
  return [
    `digraph "${name}" {`,
    '  rankdir=TB; node [shape=box, fontname="sans-serif"]; edge [fontname="sans-serif", fontsize=9];',
    ...nodes.map(({ id, terminal }) => {
      const shape = terminal === true ? ' [shape=box, style=rounded, penwidth=2]' : id === entry ? ' [penwidth=2]' : '';
      return `  "${id}"${shape};`;
    }),
    ...edges.map(({ from, to, guard, owner }) => {
      const thick = owner === 'model' ? ', penwidth=2' : '';
      return `  "${from}" -> "${to}" [label="${guard}"${thick}];`;
    }),
    '}',
  ].join('\n');
}

/** Sorts nodes breadth first from the entry. Unreachable nodes come last. */
function sortNodes(entry: string, nodes: GraphSpec['nodes'], edges: GraphSpec['edges']): GraphSpec['nodes'] {
  const order = new Set([entry]);
  for (const id of order) for (const { from, to } of edges) if (from === id) order.add(to);
  for (const { id } of nodes) order.add(id);
  return [...order].flatMap((id) => nodes.find((node) => node.id === id) ?? []);
}
