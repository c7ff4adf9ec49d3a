import { readExpression } from './expression.ts';
import {
  type Cursor,
  here,
  inBrackets,
  isSign,
  misplaced,
  type SqlTrouble,
  takeSign,
  takeWord,
  wordHere,
} from './tokens.ts';
import { JOIN_WORDS, JOINS, NO_NAME, STANDALONE_STATEMENTS, STRUCTURE } from './words.ts';

/** Reads the tables after FROM: names, bracketed queries, and joins of them. Anything else is refused. */
export function readTables(cursor: Cursor): SqlTrouble {
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

function readJoin(cursor: Cursor): SqlTrouble {
  const joinWords: string[] = [];
  for (let word = wordHere(cursor); word !== undefined && JOIN_WORDS.has(word); word = wordHere(cursor)) {
    joinWords.push(word);
    cursor.at += 1;
  }
  return JOINS.has(joinWords.join(' ')) ? null : 'it joins tables in no plain way';
}

function readPlace(cursor: Cursor): SqlTrouble {
  if (!isSign(cursor, '(')) return readTable(cursor) ?? readAlias(cursor);
  return (
    inBrackets(cursor, (inner) => (wordHere(inner) === 'select' ? inner.query(inner) : readTables(inner))) ??
    readAlias(cursor)
  );
}

/** Reads a table name. Capital letters have to be quoted, because servers differ in whether they count. */
export function readTable(cursor: Cursor): SqlTrouble {
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

/** Reads an optional table alias. A word that cannot be an alias is left for the caller to read or refuse. */
export function readAlias(cursor: Cursor): SqlTrouble {
  const hasAs = takeWord(cursor, 'as');
  const word = wordHere(cursor);
  if (isPlainName(cursor) || (hasAs && word !== undefined && !STRUCTURE.has(word) && !STANDALONE_STATEMENTS.has(word)))
    cursor.at += 1;
  else if (hasAs) return misplaced(cursor);
  return null;
}

/** Reads column names separated by commas. */
export function readColumns(cursor: Cursor): SqlTrouble {
  do {
    if (!isPlainName(cursor)) return misplaced(cursor);
    cursor.at += 1;
  } while (takeSign(cursor, ','));
  return null;
}

/** Whether the token is an unambiguous name. A quoted name with a dot or a blank could look like two names. */
function isPlainName(cursor: Cursor): boolean {
  const token = here(cursor);
  if (token?.kind === 'quoted') return /^[A-Za-z0-9_$]+$/.test(token.text);
  const word = wordHere(cursor);
  return word !== undefined && !STRUCTURE.has(word) && !NO_NAME.has(word) && !STANDALONE_STATEMENTS.has(word);
}
