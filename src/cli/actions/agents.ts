import { toMermaid } from '../../graph.ts';
import { Fault } from '../../index.ts';
import type { AgentExplanation, DescribedAgent } from '../../records.ts';
import { type Action, argument, type Call, readTextFlag } from '../command.ts';
import { type OpenedConfig, withRuntime } from '../shared/with-runtime.ts';
import { escapeText } from '../terminal/escape.ts';
import { renderTable } from '../terminal/render-table.ts';
import { renderExplainedAgent } from '../views/render-explained.ts';
import { renderGraphDot, renderGraphText } from '../views/render-graph.ts';

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

export const explainAgentAction: Action = (call) =>
  withRuntime(call, async (opened) => {
    const { terminal } = call;
    const explained = listAgents(call, opened).map(
      ({ spec }): AgentExplanation => opened.runtime.agents.explain(spec.name),
    );
    terminal.show(explained, () => explained.map((agent) => renderExplainedAgent(agent, terminal.paint)).join('\n\n'));
  });
