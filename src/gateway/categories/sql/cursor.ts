import type { SqlToken } from './tokens.ts';

/** Where the reading of one statement has got to, and what it has come by. It lives as long as that one reading. */
export interface Cursor {
  readonly tokens: readonly SqlToken[];
  at: number;
  depth: number;
  readonly tables: Set<string>;
  readonly functions: Set<string>;
  /** How a query is read: expressions and tables hold queries, which hold expressions and tables. */
  readonly query: (cursor: Cursor) => Trouble;
}

/** What is wrong with what was read; null for nothing. What was read is behind the cursor then. */
export type Trouble = string | null;

/** Brackets in brackets beyond this are refused: nobody writes them, and each one costs a frame of the stack. */
const DEPTH_MAX = 32;

export const here = (cursor: Cursor, ahead = 0): SqlToken | undefined => cursor.tokens[cursor.at + ahead];

/** The word that stands there, in lower case; undefined where something else does. */
export function wordHere(cursor: Cursor, ahead = 0): string | undefined {
  const token = here(cursor, ahead);
  return token?.kind === 'word' ? token.text.toLowerCase() : undefined;
}

export function isSign(cursor: Cursor, text: string, ahead = 0): boolean {
  const token = here(cursor, ahead);
  return token?.kind === 'sign' && token.text === text;
}

export function takeWord(cursor: Cursor, word: string): boolean {
  if (wordHere(cursor) !== word) return false;
  cursor.at += 1;
  return true;
}

export function takeSign(cursor: Cursor, text: string): boolean {
  if (!isSign(cursor, text)) return false;
  cursor.at += 1;
  return true;
}

/** What stands there has no place there. */
export function misplaced(cursor: Cursor): string {
  const token = here(cursor);
  if (token === undefined) return 'it ends too early';
  return `${JSON.stringify(token.text.slice(0, 40))} has no place where it stands`;
}

export const expectWord = (cursor: Cursor, word: string): Trouble =>
  takeWord(cursor, word) ? null : misplaced(cursor);

/** Reads what stands in brackets, from the opening to the closing one. */
export function inBrackets(cursor: Cursor, inside: (cursor: Cursor) => Trouble): Trouble {
  if (!takeSign(cursor, '(')) return misplaced(cursor);
  if (cursor.depth >= DEPTH_MAX) return `it has more than ${DEPTH_MAX} brackets in one another`;
  cursor.depth += 1;
  const trouble = inside(cursor);
  cursor.depth -= 1;
  if (trouble !== null) return trouble;
  return takeSign(cursor, ')') ? null : misplaced(cursor);
}

/** Reads a part that begins with a word, where that word stands there. */
export const whereIs = (cursor: Cursor, word: string, part: (cursor: Cursor) => Trouble): Trouble =>
  takeWord(cursor, word) ? part(cursor) : null;
