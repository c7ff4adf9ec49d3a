import { guardInput } from '../../model/fault/guard-input.ts';
import type { GraphEdge, GraphNode, GraphSpec } from '../../model/plan/graph.ts';
import { interruptGuards } from './layout.ts';

/**
 * Renders a graph as a Mermaid flowchart. Thin arrows belong to the orchestrator, a model may choose thick ones, dotted
 * ones interrupt, and terminal nodes are rounded. The text does not depend on the order of nodes and edges.
 */
export const toMermaid: (spec: GraphSpec) => string = guardInput('toMermaid', (spec: GraphSpec): string => {
  const nodes = sortNodes(spec);
  const names = new Map(nodes.map((node, index) => [node.id, `n${index}`]));
  const name = (id: string): string => names.get(id) ?? id;
  const halts = interruptGuards(spec);
  const edges = sortEdges(spec.edges, nodes);
  const lines = [
    `%% ${spec.name} version ${spec.version}, tier ${spec.tier}`,
    'flowchart TD',
    ...nodes.map((node) => `  ${name(node.id)}${shape(node)}`),
    ...edges.filter((edge) => !halts.has(edge.guard)).map((edge) => `  ${arrow(edge, name)}`),
    ...groupInterrupts(edges.filter((edge) => halts.has(edge.guard))).map((edge) => `  ${dotted(edge, name)}`),
    '  classDef terminal stroke-width:3px',
    ...nodes.filter((node) => node.terminal === true).map((node) => `  class ${name(node.id)} terminal`),
  ];
  return `${lines.join('\n')}\n`;
});

/** Ids and guards are `Name`s, so they contain no quotes or line breaks. */
const shape = ({ id, terminal }: GraphNode): string => (terminal === true ? `(["${id}"])` : `["${id}"]`);

function arrow({ from, to, guard, owner }: GraphEdge, name: (id: string) => string): string {
  return `${name(from)} ${owner === 'model' ? '==>' : '-->'}|"${guard}"| ${name(to)}`;
}

interface Interruption {
  readonly to: string;
  readonly guard: string;
  readonly from: string[];
}

/** Groups interrupts by guard and target, because nearly every node has them. */
function groupInterrupts(edges: readonly GraphEdge[]): readonly Interruption[] {
  const grouped = new Map<string, Interruption>();
  for (const { from, to, guard } of edges) {
    const group = grouped.get(`${guard} ${to}`) ?? { to, guard, from: [] };
    group.from.push(from);
    grouped.set(`${guard} ${to}`, group);
  }
  return [...grouped.values()];
}

function dotted({ from, to, guard }: Interruption, name: (id: string) => string): string {
  return `${from.map(name).join(' & ')} -.->|"${guard}"| ${name(to)}`;
}

/** Nodes in breadth-first order from the entry, then the unreachable ones. */
function sortNodes(spec: GraphSpec): readonly GraphNode[] {
  const halts = interruptGuards(spec);
  const byId = new Map(spec.nodes.map((node) => [node.id, node]));
  const targets = new Map<string, string[]>(spec.nodes.map((node) => [node.id, []]));
  for (const { from, to, guard } of spec.edges) if (!halts.has(guard)) targets.get(from)?.push(to);
  const order = new Set([spec.entry]);
  for (const id of order) for (const to of (targets.get(id) ?? []).toSorted()) order.add(to);
  for (const id of [...byId.keys()].sort()) order.add(id);
  return [...order].flatMap((id) => byId.get(id) ?? []);
}

function sortEdges(edges: readonly GraphEdge[], nodes: readonly GraphNode[]): readonly GraphEdge[] {
  const place = new Map(nodes.map((node, index) => [node.id, index]));
  const at = (id: string): number => place.get(id) ?? -1;
  return edges.toSorted(
    (a, b) => at(a.from) - at(b.from) || at(a.to) - at(b.to) || (a.guard < b.guard ? -1 : a.guard > b.guard ? 1 : 0),
  );
}
