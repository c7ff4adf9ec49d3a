import { readExpression } from './expression.ts';
import {
  type Cursor,
  expectWord,
  here,
  inBrackets,
  isSign,
  JOIN_WORDS,
  JOINS,
  misplaced,
  NO_NAME,
  readOptional,
  type SqlTrouble,
  STANDALONE_STATEMENTS,
  STRUCTURE,
  takeSign,
  takeWord,
  wordHere,
} from './tokens.ts';

const readReturning = (cursor: Cursor): SqlTrouble =>
  readOptional(cursor, 'returning', (list) => readExpression(list, 'list'));

export const readInsert = (cursor: Cursor): SqlTrouble =>
  expectWord(cursor, 'insert') ??
  expectWord(cursor, 'into') ??
  readTable(cursor) ??
  (isSign(cursor, '(') ? inBrackets(cursor, readColumns) : null) ??
  readSource(cursor) ??
  readReturning(cursor);

function readSource(cursor: Cursor): SqlTrouble {
  if (wordHere(cursor) === 'select') return readQuery(cursor);
  if (!takeWord(cursor, 'values')) return misplaced(cursor);
  let trouble: SqlTrouble = null;
  do {
    trouble = inBrackets(cursor, (row) => readExpression(row, 'brackets'));
  } while (trouble === null && takeSign(cursor, ','));
  return trouble;
}

export const readUpdate = (cursor: Cursor): SqlTrouble =>
  expectWord(cursor, 'update') ??
  readTable(cursor) ??
  readAlias(cursor) ??
  expectWord(cursor, 'set') ??
  readExpression(cursor, 'clause') ??
  readOptional(cursor, 'from', readTables) ??
  readWhere(cursor) ??
  readReturning(cursor) ??
  readEnd(cursor);

export const readDelete = (cursor: Cursor): SqlTrouble =>
  expectWord(cursor, 'delete') ??
  expectWord(cursor, 'from') ??
  readTable(cursor) ??
  readAlias(cursor) ??
  readOptional(cursor, 'using', readTables) ??
  readWhere(cursor) ??
  readReturning(cursor) ??
  readEnd(cursor);

const readClause = (cursor: Cursor): SqlTrouble => readExpression(cursor, 'clause');

const SETS = ['union', 'except', 'intersect'];

/** One SELECT or a union of several, with its clauses in their required order. */
export function readQuery(cursor: Cursor): SqlTrouble {
  let trouble = readSelect(cursor);
  while (trouble === null && SETS.some((word) => takeWord(cursor, word))) {
    if (!takeWord(cursor, 'all')) takeWord(cursor, 'distinct');
    trouble = isSign(cursor, '(') ? inBrackets(cursor, readQuery) : readSelect(cursor);
  }
  return trouble ?? readEnd(cursor);
}

function readSelect(cursor: Cursor): SqlTrouble {
  return (
    expectWord(cursor, 'select') ??
    readExpression(cursor, 'list') ??
    readOptional(cursor, 'into', readTable) ??
    readOptional(cursor, 'from', readTables) ??
    readWhere(cursor) ??
    readOptional(cursor, 'group', readBy) ??
    readOptional(cursor, 'having', readClause)
  );
}

const readWhere = (cursor: Cursor): SqlTrouble => readOptional(cursor, 'where', readClause);

/** The ORDER BY, LIMIT, OFFSET and FETCH clauses. */
const readEnd = (cursor: Cursor): SqlTrouble =>
  readOptional(cursor, 'order', readBy) ??
  readOptional(cursor, 'limit', readClause) ??
  readOptional(cursor, 'offset', readClause) ??
  readOptional(cursor, 'fetch', readClause);

const readBy = (cursor: Cursor): SqlTrouble => expectWord(cursor, 'by') ?? readClause(cursor);

/** Reads the tables after FROM: names, bracketed queries, and joins of them. Anything else is refused. */
function readTables(cursor: Cursor): SqlTrouble {
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
function readTable(cursor: Cursor): SqlTrouble {
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
function readAlias(cursor: Cursor): SqlTrouble {
  const hasAs = takeWord(cursor, 'as');
  const word = wordHere(cursor);
  if (isPlainName(cursor) || (hasAs && word !== undefined && !STRUCTURE.has(word) && !STANDALONE_STATEMENTS.has(word)))
    cursor.at += 1;
  else if (hasAs) return misplaced(cursor);
  return null;
}

/** Reads column names separated by commas. */
function readColumns(cursor: Cursor): SqlTrouble {
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
