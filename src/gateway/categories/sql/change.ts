import { readExpression } from './expression.ts';
import { readAlias, readColumns, readTable, readTables } from './tables.ts';
import {
  type Cursor,
  expectWord,
  inBrackets,
  isSign,
  misplaced,
  readOptional,
  type SqlTrouble,
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
