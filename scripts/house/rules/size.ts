import { SIZE } from '../plan.ts';
import { isTest, type Resolved } from '../resolve.ts';
import type { Violation } from '../violation.ts';

/** A number nobody measures grows: every file has a ceiling, and `src/` as a whole stays small-grained. */
export function checkSize(files: readonly Resolved[]): readonly Violation[] {
  const found: Violation[] = files
    .filter(({ lines }) => lines > SIZE.maxLines)
    .map(({ path, lines }) => ({
      wall: 'file-lines',
      path,
      line: SIZE.maxLines,
      message: `${lines} lines; at most ${SIZE.maxLines}`,
    }));
  const shipped = files
    .filter(({ path, room }) => room !== null && !isTest(path))
    .map(({ lines }) => lines)
    .sort((a, b) => a - b);
  const median = rank(shipped, 0.5);
  const p90 = rank(shipped, 0.9);
  if (median > SIZE.medianLines)
    found.push({ wall: 'median-lines', path: 'src', line: 1, message: over(median, SIZE.medianLines) });
  if (p90 > SIZE.p90Lines) found.push({ wall: 'p90-lines', path: 'src', line: 1, message: over(p90, SIZE.p90Lines) });
  return found;
}

const over = (lines: number, max: number): string => `${lines} lines; at most ${max}`;

/** Nearest rank: the smallest value that at least this share of the files do not exceed. */
function rank(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
