import type { Rule } from '../../scripts/house/violation.ts';

export type Files = Readonly<Record<string, string>>;

/** A project that breaks one rule, and one that keeps it. */
export interface Case {
  readonly rule: Rule;
  readonly title: string;
  readonly broken: Files;
  /** The expected violations, as path:line. */
  readonly at: readonly string[];
  readonly kept: Files;
}

export const oneLine = 'void 1;\n';
export const manyLines = (count: number): string => oneLine.repeat(count);

/** Files of `src/model` with this many lines each. */
export const filler = (count: number, lines: number): Files =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`src/model/n${at}.ts`, manyLines(lines)]));
