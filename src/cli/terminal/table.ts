import { stripVTControlCharacters } from 'node:util';

/** Rows under their headings, as wide as they need to be. The last column takes what is left of the line. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[], columns: number): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, at) => Math.max(...lines.map((line) => widthOf(line[at] ?? ''))));
  return lines.map((line) => lineOf(line, widths, columns)).join('\n');
}

const GAP = '  ';

function lineOf(cells: readonly string[], widths: readonly number[], columns: number): string {
  const padded = cells.map((cell, at) =>
    at === cells.length - 1 ? cell : cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell))),
  );
  const before = padded.slice(0, -1).join(GAP);
  const last = padded.at(-1) ?? '';
  const room = columns - widthOf(before) - GAP.length;
  // A cell with colours in it is cut by nobody: half an escape sequence would colour the rest of the screen.
  const cut = room > 8 && widthOf(last) > room && last === stripVTControlCharacters(last);
  return `${before}${padded.length > 1 ? GAP : ''}${cut ? `${last.slice(0, room - 1)}…` : last}`.trimEnd();
}

const widthOf = (text: string): number => [...stripVTControlCharacters(text)].length;

/** Lines of `name  value`, the names in one column. */
export function pairs(entries: readonly (readonly [name: string, value: string | null])[]): readonly string[] {
  const shown = entries.filter((entry): entry is readonly [string, string] => entry[1] !== null);
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}
