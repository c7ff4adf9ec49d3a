import { LIMITS } from '../plan.ts';
import { isShipped, type SourceFile } from '../resolve.ts';
import type { Violation } from '../violation.ts';

/** Every file has a limit, and the files of `src/` stay short on the median and at the 90th percentile. */
export function checkSize(files: readonly SourceFile[]): readonly Violation[] {
  const found: Violation[] = files
    .filter(({ lines }) => lines > LIMITS.fileLines)
    .map(({ path, lines }) => ({
      rule: 'file-lines',
      path,
      line: LIMITS.fileLines,
      message: `${lines} lines; at most ${LIMITS.fileLines}`,
    }));
  const shipped = files
    .filter(isShipped)
    .map(({ lines }) => lines)
    .sort((a, b) => a - b);
  const median = rank(shipped, 0.5);
  const p90 = rank(shipped, 0.9);
  if (median > LIMITS.medianLines)
    found.push({ rule: 'median-lines', path: 'src', line: 1, message: over(median, LIMITS.medianLines) });
  if (p90 > LIMITS.p90Lines)
    found.push({ rule: 'p90-lines', path: 'src', line: 1, message: over(p90, LIMITS.p90Lines) });
  return found;
}

const over = (lines: number, max: number): string => `${lines} lines; at most ${max}`;

/** Nearest rank: the smallest value that at least this share of the files do not exceed. */
function rank(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
