import type { AgentExplanation, ExplainedLine } from '../../records.ts';
import { escapeText } from '../terminal/escape.ts';
import type { Paint } from '../terminal/terminal.ts';

/** Renders an explanation, a value in each line. `*` marks a default; its reason and its option follow. */
export function renderExplainedAgent({ agent, sections }: AgentExplanation, paint: Paint): string {
  const defaults = sections.flatMap(({ lines }) => lines).filter(({ source }) => source === 'default').length;
  const parts = sections.map(({ title, lines }) =>
    [paint('strong', escapeText(title)), ...lines.map((line) => renderLine(line, paint))].join('\n'),
  );
  const summary =
    defaults === 0
      ? 'nothing is assumed'
      : `${defaults} ${defaults === 1 ? 'value is a default' : 'values are defaults'}, marked with *`;
  return [`${paint('accent', escapeText(agent))}: ${summary}`, ...parts].join('\n\n');
}

function renderLine(line: ExplainedLine, paint: Paint): string {
  const mark = line.source === 'default' ? paint('warning', '*') : ' ';
  const note = NOTES[line.source](line);
  const shown = `${mark} ${escapeText(line.name)}: ${escapeText(line.value)}`;
  return note === null ? shown : `${shown} ${paint('quiet', escapeText(`(${note})`))}`;
}

const NOTES: Readonly<Record<ExplainedLine['source'], (line: ExplainedLine) => string | null>> = {
  stated: () => null,
  named: ({ why = '', option = '' }) => `from ${why}; change it with ${option}`,
  default: ({ why = '', option = '' }) => `default: ${why}; change it with ${option}`,
  derived: ({ why = '' }) => `because ${why}`,
};
