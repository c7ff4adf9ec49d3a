import { toMermaid } from '../../graph.ts';
import { Fault } from '../../index.ts';
import type { DescribedAgent } from '../../records.ts';
import { type Action, argument, type Call, readTextFlag } from '../command.ts';
import { type OpenedConfig, withRuntime } from '../shared/with-runtime.ts';
import { renderTable } from '../terminal/render-table.ts';
import { escapeText } from '../terminal/terminal.ts';

/** Returns the named agent, or all agents. */
function listAgents(call: Call, { runtime }: OpenedConfig): readonly DescribedAgent[] {
  const agents = runtime.agents.list();
  const name = argument(call, 'agent');
  const found = name === '' ? agents : agents.filter(({ spec }) => spec.name === name);
  if (found.length > 0) return found;
  const names = agents.map(({ spec }) => spec.name).join(', ');
  throw new Fault('input_invalid', `unknown agent ${name}; the config has ${names}`);
}

export const showGraphAction: Action = (call) =>
  withRuntime(call, async (opened) => {
    const { terminal, flags } = call;
    const draw =
      { text: renderGraphText, mermaid: toMermaid, dot: renderGraphDot }[readTextFlag(flags, 'format') ?? 'text'] ??
      renderGraphText;
    const graphs = listAgents(call, opened).map(({ spec, graph: of }) => ({ agent: spec.name, graph: of }));
    terminal.show(graphs, () =>
      graphs
        .map(({ agent, graph: of }) => (graphs.length === 1 ? draw(of).trimEnd() : `${agent}\n${draw(of).trimEnd()}`))
        .join('\n\n'),
    );
  });

export const showToolsAction: Action = (call) =>
  withRuntime(call, async (opened) => {
    const { terminal } = call;
    const agents = listAgents(call, opened).map(({ spec, tools: of }) => ({ agent: spec.name, tools: of }));
    const rows = agents.flatMap(({ agent, tools: of }) =>
      of.map(({ name, approval_mode, side_effect, gates, description }) => [
        escapeText(agent),
        terminal.paint('strong', escapeText(name)),
        terminal.paint(side_effect ? 'warning' : 'quiet', approval_mode),
        gates.join(' ') || '-',
        escapeText(description),
      ]),
    );
    terminal.show(agents, () =>
      renderTable(['AGENT', 'TOOL', 'MODE', 'GATES', 'DESCRIPTION'], rows, terminal.columns()),
    );
  });

type GraphSpec = DescribedAgent['graph'];

/** Renders each node with its edges and their guards. `⇒` marks an edge that the model chooses. */
function renderGraphText({ name, version, tier, entry, nodes, edges }: GraphSpec): string {
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
function renderGraphDot({ name, entry, nodes, edges }: GraphSpec): string {
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
