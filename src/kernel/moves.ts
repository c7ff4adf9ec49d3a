/** The moves of one event, the last one first: a run makes a few with every event, and a chain of them costs least. */
export type Moves = { readonly to: string; readonly before: Moves } | null;

/** The nodes that were come to, in order. */
export function movesMade(moves: Moves): readonly string[] {
  const made: string[] = [];
  for (let move = moves; move !== null; move = move.before) made.unshift(move.to);
  return made;
}
