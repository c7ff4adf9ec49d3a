/** The recorded bundles and the list of their digests. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const FOLDER: string = import.meta.dirname;
export const LIST: string = join(FOLDER, 'recorded.txt');

/**
 * Maps each file name to the SHA-256 of its bytes. The list has one file per line in the order of recording; lines are
 * added and never changed.
 */
export function listed(text: string = readFileSync(LIST, 'utf8')): ReadonlyMap<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return new Map(
    lines.map((line) => {
      const [digest = '', name = ''] = line.split('  ');
      return [name, digest];
    }),
  );
}

export const bundlesIn = (folder: string = FOLDER): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.bundle'))
    .toSorted();

/** Describes the differences between the list and the files; empty if every file is unchanged. */
export function changesIn(list: ReadonlyMap<string, string>, files: ReadonlyMap<string, string>): readonly string[] {
  const kept = [...list].flatMap(([name, digest]) => {
    const found = files.get(name);
    if (found === undefined) return [`${name} was deleted: a journal that was released is kept for ever`];
    return found === digest ? [] : [`${name} was changed: record another one under a new name instead`];
  });
  const strange = [...files.keys()].filter((name) => !list.has(name)).map((name) => `${name} is not in recorded.txt`);
  return [...kept, ...strange];
}
