import type { GraphEdge, GraphNode, GraphSpec } from '../../model/graph.ts';
import { interruptGuards } from './layout.ts';

/**
 * A graph as a Mermaid flowchart. Thin arrows are the orchestrator's, thick ones a model may choose, dotted ones
 * interrupt; terminal nodes are rounded. The same graph gives the same text, however its lists were ordered.
 */
export function toMermaid(spec: GraphSpec): string {
  const nodes = inWalkingOrder(spec);
  const names = new Map(nodes.map((node, index) => [node.id, `n${index}`]));
  const name = (id: string): string => names.get(id) ?? id;
  const halts = interruptGuards(spec);
  const edges = inOrder(spec.edges, nodes);
  const lines = [
    `%% ${spec.name} version ${spec.version}, tier ${spec.tier}`,
    'flowchart TD',
    ...nodes.map((node) => `  ${name(node.id)}${shape(node)}`),
    ...edges.filter((edge) => !halts.has(edge.guard)).map((edge) => `  ${arrow(edge, name)}`),
    ...interruptions(edges.filter((edge) => halts.has(edge.guard))).map((edge) => `  ${dotted(edge, name)}`),
    '  classDef terminal stroke-width:3px',
    ...nodes.filter((node) => node.terminal === true).map((node) => `  class ${name(node.id)} terminal`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Ids and guards are `Name`s, so neither can hold a quote or a line break. */
const shape = ({ id, terminal }: GraphNode): string => (terminal === true ? `(["${id}"])` : `["${id}"]`);

function arrow({ from, to, guard, owner }: GraphEdge, name: (id: string) => string): string {
  return `${name(from)} ${owner === 'model' ? '==>' : '-->'}|"${guard}"| ${name(to)}`;
}

interface Interruption {
  readonly to: string;
  readonly guard: string;
  readonly from: string[];
}

/** Interrupts leave nearly every node; one line for all that share guard and target keeps the text readable. */
function interruptions(edges: readonly GraphEdge[]): readonly Interruption[] {
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

/** Breadth first from the entry, then whatever cannot be reached, so that the drawing begins where a run does. */
function inWalkingOrder(spec: GraphSpec): readonly GraphNode[] {
  const halts = interruptGuards(spec);
  const byId = new Map(spec.nodes.map((node) => [node.id, node]));
  const targets = new Map<string, string[]>(spec.nodes.map((node) => [node.id, []]));
  for (const { from, to, guard } of spec.edges) if (!halts.has(guard)) targets.get(from)?.push(to);
  const order = new Set([spec.entry]);
  for (const id of order) for (const to of (targets.get(id) ?? []).toSorted()) order.add(to);
  for (const id of [...byId.keys()].sort()) order.add(id);
  return [...order].flatMap((id) => byId.get(id) ?? []);
}

function inOrder(edges: readonly GraphEdge[], nodes: readonly GraphNode[]): readonly GraphEdge[] {
  const place = new Map(nodes.map((node, index) => [node.id, index]));
  const at = (id: string): number => place.get(id) ?? -1;
  return edges.toSorted(
    (a, b) => at(a.from) - at(b.from) || at(a.to) - at(b.to) || (a.guard < b.guard ? -1 : a.guard > b.guard ? 1 : 0),
  );
}
