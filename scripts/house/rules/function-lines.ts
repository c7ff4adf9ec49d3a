import { LIMITS, SUITES } from '../plan.ts';
import { isTest, type SourceFile } from '../resolve.ts';
import type { Violation } from '../violation.ts';

/** Whether the limit on function length applies to a file: test suites are functions of any length. */
export const hasFunctionLimit = ({ path }: Pick<SourceFile, 'path'>): boolean =>
  !isTest(path) && !path.startsWith(SUITES);

/** A function has a limited number of code lines, nested functions included. */
export function checkFunctionLines(file: SourceFile): readonly Violation[] {
  if (!hasFunctionLimit(file)) return [];
  return file.functions
    .filter(({ lines }) => lines > LIMITS.functionLines)
    .map(({ name, line, lines }) => ({
      rule: 'function-lines',
      path: file.path,
      line,
      message: `${name} has ${lines} lines of code; at most ${LIMITS.functionLines}`,
    }));
}
