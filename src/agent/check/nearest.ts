/** The known name that is the least number of edits away from a misspelt one. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const ranked = known.map((each) => ({ each, edits: editsBetween(name.toLowerCase(), each.toLowerCase()) }));
  return ranked.toSorted((a, b) => a.edits - b.edits)[0]?.each;
}

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
