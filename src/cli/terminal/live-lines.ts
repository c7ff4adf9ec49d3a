import { clearScreenDown, moveCursor } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';

/** Lines that are redrawn in place. */
export interface LiveLines {
  draw(lines: readonly string[]): void;
}

/** Draws on a terminal only: a log file needs the final result, not every intermediate state. */
export function openLiveLines(stream: NodeJS.WriteStream): LiveLines {
  let height = 0;
  return {
    draw: (lines) => {
      if (stream.isTTY !== true) return;
      if (height > 0) moveCursor(stream, 0, -height);
      clearScreenDown(stream);
      stream.write(`${lines.join('\n')}\n`);
      height = lines.reduce((rows, line) => rows + countRows(line, stream.columns), 0);
    },
  };
}

/** Counts the screen rows of a line, which wraps if it is wider than the screen. */
const countRows = (line: string, columns: number): number =>
  Math.max(1, Math.ceil([...stripVTControlCharacters(line)].length / (columns || 80)));
