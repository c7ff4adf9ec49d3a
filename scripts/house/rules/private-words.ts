import { PRIVATE_WORDS, WIRE_NAMES } from '../plan.ts';
import { isShipped, type SourceFile } from '../resolve.ts';
import type { Violation } from '../violation.ts';
import type { NamePlaces } from './double-names.ts';

export interface PrivateName extends NamePlaces {
  readonly word: string;
}

/** The words of an identifier or a file name, in lower case: `httpURLOf` is http, url, of. */
export function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}

/**
 * Declared identifiers, and names of files and folders (written `name/` and `name.ts`), that contain a private word.
 * Each distinct name is listed once, with every place that declares it.
 */
export function privateNames(files: readonly SourceFile[]): readonly PrivateName[] {
  const found = new Map<string, { word: string; places: { path: string; line: number }[] }>();
  const note = (name: string, path: string, line: number): void => {
    const word = privateWord(name);
    if (word === null) return;
    const entry = found.get(name) ?? { word, places: [] };
    entry.places.push({ path, line });
    found.set(name, entry);
  };
  const folders = new Set<string>();
  for (const { path, names } of files.filter(isShipped)) {
    const parts = path.split('/');
    note(parts.at(-1) ?? '', path, 1);
    for (let depth = 1; depth < parts.length; depth += 1) folders.add(parts.slice(0, depth).join('/'));
    for (const { name, line, isProperty } of names)
      if (!isProperty || !WIRE_NAMES.includes(name)) note(name, path, line);
  }
  for (const path of folders) note(`${path.split('/').at(-1)}/`, path, 1);
  return [...found].map(([name, entry]) => ({ name, ...entry })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function checkPrivateWords(files: readonly SourceFile[]): readonly Violation[] {
  return privateNames(files).flatMap(({ name, word, places }) =>
    places.map(
      ({ path, line }): Violation => ({
        rule: 'private-word',
        path,
        line,
        message: `${name} contains "${word}"; use the usual technical term`,
      }),
    ),
  );
}

function privateWord(name: string): string | null {
  const words = wordsOf(name);
  return PRIVATE_WORDS.find((word) => words.includes(word) || words.includes(`${word}s`)) ?? null;
}
