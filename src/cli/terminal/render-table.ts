import { stripVTControlCharacters } from 'node:util';
import type { CliTerminal } from './terminal.ts';

/** Renders rows under their headings. The last column is cut to the screen width. */
export function renderTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number,
): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, at) => Math.max(...lines.map((line) => getWidth(line[at] ?? ''))));
  return lines.map((line) => renderRow(line, widths, columns)).join('\n');
}

const GAP = '  ';

function renderRow(cells: readonly string[], widths: readonly number[], columns: number): string {
  const padded = cells.map((cell, at) =>
    at === cells.length - 1 ? cell : cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - getWidth(cell))),
  );
  const before = padded.slice(0, -1).join(GAP);
  const last = padded.at(-1) ?? '';
  const width = columns - getWidth(before) - GAP.length;
  // Cutting a colored cell could split an escape sequence and color the rest of the screen.
  const isCut = width > 8 && getWidth(last) > width && last === stripVTControlCharacters(last);
  return `${before}${padded.length > 1 ? GAP : ''}${isCut ? `${last.slice(0, width - 1)}…` : last}`.trimEnd();
}

const getWidth = (text: string): number => [...stripVTControlCharacters(text)].length;

/** Shows rows as a table, or a sentence if there are none. `value` is the JSON form. */
export function showTable(
  { show, columns }: CliTerminal,
  value: unknown,
  { headings, rows, empty }: { headings: readonly string[]; rows: readonly (readonly string[])[]; empty: string },
): void {
  show(value, () => (rows.length === 0 ? empty : renderTable(headings, rows, columns())));
}

/** Renders lines of `name  value` with the names in one column. Null values are left out. */
export function renderPairs(entries: readonly (readonly [name: string, value: string | null])[]): readonly string[] {
  const shown = entries.filter((entry): entry is readonly [string, string] => entry[1] !== null);
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}
