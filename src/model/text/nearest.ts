import { printable } from '../json/printable.ts';

/** The known names, those first that are the fewest edits away from a misspelt one. */
export function nearestFirst(name: string, known: readonly string[]): readonly string[] {
  const ranked = known.map((each) => ({ each, edits: editsBetween(name.toLowerCase(), each.toLowerCase()) }));
  return ranked.toSorted((a, b) => a.edits - b.edits).map(({ each }) => each);
}

/** Names of an object that are not known, and a message that lists the known ones. Null if all are known. */
export function unknownNames(
  options: object,
  known: readonly string[],
  kind = 'option',
): { readonly first: string; readonly message: string } | null {
  const unknown = Object.keys(options).filter((key) => !known.includes(key));
  const [first] = unknown;
  return first === undefined ? null : { first, message: unknownMessage(unknown, known, kind) };
}

export const unknownMessage = (unknown: readonly string[], known: readonly string[], kind: string): string =>
  `there is no ${kind} ${printable(unknown.join(', '))}; there are ${nearestFirst(unknown[0] ?? '', known).join(', ')}`;

/** The number of letters to insert, delete or replace until `from` is `to`. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, place) => place);
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1];
    for (const [place, other] of [...to].entries()) {
      const replaced = (row[place] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
