import {
  type Cursor,
  here,
  inBrackets,
  isSign,
  misplaced,
  type Trouble,
  takeSign,
  takeWord,
  wordHere,
} from './cursor.ts';
import { readExpression } from './expression.ts';
import { ALONE, JOIN_WORDS, JOINS, NO_NAME, STRUCTURE } from './words.ts';

/** The tables behind FROM: names, queries in brackets, and joins of them. Nothing else stands in the place of a table. */
export function readTables(cursor: Cursor): Trouble {
  let trouble = readPlace(cursor);
  while (trouble === null) {
    if (takeWord(cursor, 'on')) trouble = readExpression(cursor, 'condition');
    else if (takeWord(cursor, 'using')) trouble = inBrackets(cursor, readColumns);
    else if (takeSign(cursor, ',')) trouble = readPlace(cursor);
    else if (JOIN_WORDS.has(wordHere(cursor) ?? '')) trouble = readJoin(cursor) ?? readPlace(cursor);
    else return null;
  }
  return trouble;
}

function readJoin(cursor: Cursor): Trouble {
  const said: string[] = [];
  for (let word = wordHere(cursor); word !== undefined && JOIN_WORDS.has(word); word = wordHere(cursor)) {
    said.push(word);
    cursor.at += 1;
  }
  return JOINS.has(said.join(' ')) ? null : 'it joins tables in no plain way';
}

function readPlace(cursor: Cursor): Trouble {
  if (!isSign(cursor, '(')) return readTable(cursor) ?? readAlias(cursor);
  return (
    inBrackets(cursor, (inner) => (wordHere(inner) === 'select' ? inner.query(inner) : readTables(inner))) ??
    readAlias(cursor)
  );
}

/** One table: its name, with a schema before it or without. */
export function readTable(cursor: Cursor): Trouble {
  const parts: string[] = [];
  do {
    if (!isPlainName(cursor)) return misplaced(cursor);
    const { kind, text = '' } = here(cursor) ?? {};
    if (kind === 'word' && /[A-Z]/.test(text)) return `the table ${text} has to be in small letters, or quoted`;
    parts.push(text);
    cursor.at += 1;
  } while (takeSign(cursor, '.'));
  cursor.tables.add(parts.join('.'));
  return null;
}

/** Another name for a table. A word that is none is left to whoever reads on, and refused where it has no place. */
export function readAlias(cursor: Cursor): Trouble {
  const said = takeWord(cursor, 'as');
  const word = wordHere(cursor);
  if (isPlainName(cursor) || (said && word !== undefined && !STRUCTURE.has(word) && !ALONE.has(word))) cursor.at += 1;
  else if (said) return misplaced(cursor);
  return null;
}

/** Names of columns, one beside the other. */
export function readColumns(cursor: Cursor): Trouble {
  do {
    if (!isPlainName(cursor)) return misplaced(cursor);
    cursor.at += 1;
  } while (takeSign(cursor, ','));
  return null;
}

/**
 * What is quoted may hold a dot or a blank, which would make one name look like two. Servers differ in whether capital
 * letters count in a name that is not quoted; a table is not named in a way that could be two of them.
 */
function isPlainName(cursor: Cursor): boolean {
  const token = here(cursor);
  if (token?.kind === 'quoted') return /^[A-Za-z0-9_$]+$/.test(token.text);
  const word = wordHere(cursor);
  return word !== undefined && !STRUCTURE.has(word) && !NO_NAME.has(word) && !ALONE.has(word);
}
