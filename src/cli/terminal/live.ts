import { clearScreenDown, moveCursor } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';

/** Lines that are drawn again in place. */
export interface LiveLines {
  draw(lines: readonly string[]): void;
  /** Leaves them on the screen as they are. */
  done(): void;
}

/** On a stream that is no terminal nothing is drawn: whoever reads a file wants the end, not every step towards it. */
export function liveLines(stream: NodeJS.WriteStream): LiveLines {
  let height = 0;
  return {
    draw: (lines) => {
      if (stream.isTTY !== true) return;
      if (height > 0) moveCursor(stream, 0, -height);
      clearScreenDown(stream);
      stream.write(`${lines.join('\n')}\n`);
      height = lines.reduce((rows, line) => rows + rowsOf(line, stream.columns), 0);
    },
    done: () => {
      height = 0;
    },
  };
}

/** A line that is wider than the screen stands on several of its rows. */
const rowsOf = (line: string, columns: number): number =>
  Math.max(1, Math.ceil([...stripVTControlCharacters(line)].length / (columns || 80)));
