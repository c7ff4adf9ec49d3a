import { type DescribedAgent, Fault, toMermaid } from '../../index.ts';
import { type Action, type Call, textOf } from '../command.ts';
import { exitOf } from '../exit-codes.ts';
import { printed } from '../terminal/printed.ts';
import { table } from '../terminal/table.ts';
import { graphDot, graphText } from '../views/graph-view.ts';
import { type Opened, withRuntime, word } from './with-runtime.ts';

/** The agent that is named, or all of them. */
function chosen(call: Call, { runtime }: Opened): readonly DescribedAgent[] {
  const agents = runtime.agents();
  const name = word(call, 'agent');
  const found = name === '' ? agents : agents.filter(({ spec }) => spec.name === name);
  if (found.length > 0) return found;
  const names = agents.map(({ spec }) => spec.name).join(', ');
  throw new Fault('input_invalid', `there is no agent ${name}; the config has ${names}`);
}

export const graph: Action = (call) =>
  withRuntime(call, async (opened) => {
    const { terminal, flags } = call;
    const draw = { text: graphText, mermaid: toMermaid, dot: graphDot }[textOf(flags, 'format') ?? 'text'] ?? graphText;
    const graphs = chosen(call, opened).map(({ spec, graph: of }) => ({ agent: spec.name, graph: of }));
    terminal.show(graphs, () =>
      graphs
        .map(({ agent, graph: of }) => (graphs.length === 1 ? draw(of).trimEnd() : `${agent}\n${draw(of).trimEnd()}`))
        .join('\n\n'),
    );
    return exitOf('done');
  });

export const tools: Action = (call) =>
  withRuntime(call, async (opened) => {
    const { terminal } = call;
    const agents = chosen(call, opened).map(({ spec, tools: of }) => ({ agent: spec.name, tools: of }));
    const rows = agents.flatMap(({ agent, tools: of }) =>
      of.map(({ name, approval_mode, side_effect, gates, description }) => [
        printed(agent),
        terminal.paint('strong', printed(name)),
        terminal.paint(side_effect ? 'waits' : 'quiet', approval_mode),
        gates.join(' ') || '-',
        printed(description),
      ]),
    );
    terminal.show(agents, () => table(['AGENT', 'TOOL', 'MODE', 'GATES', 'WHAT IT DOES'], rows, terminal.columns()));
    return exitOf('done');
  });
