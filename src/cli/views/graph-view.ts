import type { DescribedAgent } from '../../index.ts';

type GraphSpec = DescribedAgent['graph'];

/** A graph as lines: each node with where it leads and what has to hold for that. A model may choose among thick arrows. */
export function graphText({ name, version, tier, entry, nodes, edges }: GraphSpec): string {
  const lines = inWalkingOrder(entry, nodes, edges).flatMap(({ id, role, terminal }) => {
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

/** The same for Graphviz. Ids and guards are names, so neither can hold a quote or a line break. */
export function graphDot({ name, entry, nodes, edges }: GraphSpec): string {
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

/** Breadth first from where a run begins, then whatever cannot be reached. */
function inWalkingOrder(entry: string, nodes: GraphSpec['nodes'], edges: GraphSpec['edges']): GraphSpec['nodes'] {
  const order = new Set([entry]);
  for (const id of order) for (const { from, to } of edges) if (from === id) order.add(to);
  for (const { id } of nodes) order.add(id);
  return [...order].flatMap((id) => nodes.find((node) => node.id === id) ?? []);
}
