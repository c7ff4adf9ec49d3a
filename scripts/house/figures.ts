import { longestChain } from './chain.ts';
import { ROOT_ENTRY } from './plan.ts';
import { isShipped, scanProject } from './resolve.ts';
import { doubleNames } from './rules/double-names.ts';
import { folderSizes } from './rules/folder-size.ts';
import { hasFunctionLimit } from './rules/function-lines.ts';
import { kernelImports } from './rules/kernel.ts';
import { privateNames } from './rules/private-words.ts';
import { methodsOf } from './runtime-methods.ts';
import type { Project } from './violation.ts';

/** The figures of `src/` without its tests, as `npm run house -- --json` prints them. */
export interface Figures {
  readonly files: number;
  readonly lines: number;
  readonly median: number;
  readonly max_file: number;
  readonly max_function: number;
  readonly largest_folder: number;
  readonly longest_chain: number;
  readonly double_names: number;
  readonly kernel_entry_files: number;
  readonly root_exports: number;
  readonly private_words: number;
  readonly runtime_methods: number;
}

/** The largest value each figure should have. */
export const TARGETS: Figures = {
  files: 800,
  lines: 68_000,
  median: 80,
  max_file: 400,
  max_function: 70,
  largest_folder: 25,
  longest_chain: 25,
  double_names: 0,
  kernel_entry_files: 1,
  root_exports: 80,
  private_words: 0,
  runtime_methods: 15,
};

/** Measures the files of `src/` without its tests. */
export function measure(project: Project): Figures {
  const files = scanProject(project).filter(isShipped);
  const lines = files.map((file) => file.lines).sort((a, b) => a - b);
  const functions = files.filter(hasFunctionLimit).flatMap((file) => file.functions.map((one) => one.lines));
  return {
    files: files.length,
    lines: lines.reduce((sum, one) => sum + one, 0),
    median: lines[Math.max(0, Math.ceil(lines.length / 2) - 1)] ?? 0,
    max_file: lines.at(-1) ?? 0,
    max_function: functions.reduce((most, one) => Math.max(most, one), 0),
    largest_folder: folderSizes(files)[0]?.files ?? 0,
    longest_chain: longestChain(files).length,
    double_names: doubleNames(files).length,
    kernel_entry_files: new Set(kernelImports(files).map(({ target }) => target)).size,
    root_exports: files.find(({ path }) => path === ROOT_ENTRY)?.exports.length ?? 0,
    private_words: privateNames(files).length,
    runtime_methods: methodsOf(project.files, ROOT_ENTRY, 'Ambit').length,
  };
}
