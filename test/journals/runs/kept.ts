/** The bundles that are kept, and what each was when it was recorded. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const FOLDER: string = import.meta.dirname;
export const LIST: string = join(FOLDER, 'recorded.txt');

/** File name to the SHA-256 of its bytes, one a line, in the order of recording. A line is added and never changed. */
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

/** What is wrong between the list and the files, in words; nothing where each file is what it was. */
export function changesIn(list: ReadonlyMap<string, string>, files: ReadonlyMap<string, string>): readonly string[] {
  const kept = [...list].flatMap(([name, digest]) => {
    const found = files.get(name);
    if (found === undefined) return [`${name} was deleted: a journal that was released is kept for ever`];
    return found === digest ? [] : [`${name} was changed: record another one under a new name instead`];
  });
  const strange = [...files.keys()].filter((name) => !list.has(name)).map((name) => `${name} is not in recorded.txt`);
  return [...kept, ...strange];
}
