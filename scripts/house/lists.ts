import { longestChain } from './chain.ts';
import { ROOT_ENTRY } from './plan.ts';
import { isShipped, type SourceFile, scanProject } from './resolve.ts';
import { doubleNames } from './rules/double-names.ts';
import { folderSizes } from './rules/folder-size.ts';
import { hasFunctionLimit } from './rules/function-lines.ts';
import { kernelImports } from './rules/kernel.ts';
import { privateNames } from './rules/private-words.ts';
import { methodsOf } from './runtime-methods.ts';
import type { Project } from './violation.ts';

/** The lists behind the figures, by the name that `npm run house -- --list` takes. */
export const LIST_NAMES = [
  'files',
  'functions',
  'folders',
  'chain',
  'double_names',
  'kernel_entry',
  'root_exports',
  'private_words',
  'runtime_methods',
] as const;

export type ListName = (typeof LIST_NAMES)[number];

/** Prints the entries behind a figure, one line each. */
type Lister = (files: readonly SourceFile[], project: Project) => readonly string[];

const LISTS: Readonly<Record<ListName, Lister>> = {
  files: (files) => bySize(files.map(({ path, lines }) => ({ at: path, lines }))),
  functions: (files) =>
    bySize(
      files
        .filter(hasFunctionLimit)
        .flatMap(({ path, functions }) =>
          functions.map(({ name, line, lines }) => ({ at: `${path}:${line}`, lines, name })),
        ),
    ),
  folders: (files) => folderSizes(files).map(({ path, files: count }) => `${count} ${path}`),
  chain: (files) => longestChain(files).map((path, at) => `${at + 1} ${path}`),
  double_names: (files) => doubleNames(files).map(({ name, places }) => `${name}: ${placesText(places)}`),
  kernel_entry: (files) => {
    const importers = Map.groupBy(kernelImports(files), ({ target }) => target);
    return [...importers].sort().map(([target, places]) => `${target}: ${placesText(places)}`);
  },
  root_exports: (files) =>
    (files.find(({ path }) => path === ROOT_ENTRY)?.exports ?? []).map(
      ({ name, line }) => `${ROOT_ENTRY}:${line} ${name}`,
    ),
  private_words: (files) =>
    privateNames(files).map(({ name, word, places }) => `${name} (${word}): ${placesText(places)}`),
  runtime_methods: (_, project) => methodsOf(project.files, ROOT_ENTRY, 'Ambit'),
};

/** The lines of one list. */
export function listOf(project: Project, name: ListName): readonly string[] {
  return LISTS[name](scanProject(project).filter(isShipped), project);
}

function bySize(entries: readonly { at: string; lines: number; name?: string }[]): readonly string[] {
  return [...entries]
    .sort((a, b) => b.lines - a.lines)
    .map(({ at, lines, name }) => [lines, at, ...(name === undefined ? [] : [name])].join(' '));
}

const placesText = (places: readonly { path: string; line: number }[]): string =>
  places.map(({ path, line }) => `${path}:${line}`).join(' ');
