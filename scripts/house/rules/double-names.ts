import { isShipped, type SourceFile } from '../resolve.ts';
import type { Violation } from '../violation.ts';

export interface NamePlaces {
  readonly name: string;
  readonly places: readonly { readonly path: string; readonly line: number }[];
}

/** Names that two or more files of `src/` declare and export. A re-export is not a second declaration. */
export function doubleNames(files: readonly SourceFile[]): readonly NamePlaces[] {
  const places = new Map<string, { path: string; line: number }[]>();
  for (const { path, exports } of files.filter(isShipped))
    for (const { name, line, isReExport } of exports)
      if (!isReExport) places.set(name, [...(places.get(name) ?? []), { path, line }]);
  return [...places]
    .filter(([, found]) => found.length > 1)
    .map(([name, found]) => ({ name, places: found }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** One name has one meaning: the second file that exports it is refused. */
export function checkDoubleNames(files: readonly SourceFile[]): readonly Violation[] {
  return doubleNames(files).flatMap(({ name, places: [first, ...others] }) =>
    others.map(
      ({ path, line }): Violation => ({
        rule: 'double-name',
        path,
        line,
        message: `${name} is already exported by ${first?.path}:${first?.line}`,
      }),
    ),
  );
}
