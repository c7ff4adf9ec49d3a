import { type Cursor, expectWord, inBrackets, isSign, type Trouble, takeWord, whereIs } from './cursor.ts';
import { readExpression } from './expression.ts';
import { readTable, readTables } from './tables.ts';

const readClause = (cursor: Cursor): Trouble => readExpression(cursor, 'clause');

const SETS = ['union', 'except', 'intersect'];

/** One SELECT, or some of them put together, with its parts in the order in which they have to stand. */
export function readQuery(cursor: Cursor): Trouble {
  let trouble = readSelect(cursor);
  while (trouble === null && SETS.some((word) => takeWord(cursor, word))) {
    if (!takeWord(cursor, 'all')) takeWord(cursor, 'distinct');
    trouble = isSign(cursor, '(') ? inBrackets(cursor, readQuery) : readSelect(cursor);
  }
  return trouble ?? readEnd(cursor);
}

function readSelect(cursor: Cursor): Trouble {
  return (
    expectWord(cursor, 'select') ??
    readExpression(cursor, 'list') ??
    whereIs(cursor, 'into', readTable) ??
    whereIs(cursor, 'from', readTables) ??
    readWhere(cursor) ??
    whereIs(cursor, 'group', readBy) ??
    whereIs(cursor, 'having', readClause)
  );
}

export const readWhere = (cursor: Cursor): Trouble => whereIs(cursor, 'where', readClause);

/** How the rows are ordered, and how many of them there are at most. */
export const readEnd = (cursor: Cursor): Trouble =>
  whereIs(cursor, 'order', readBy) ??
  whereIs(cursor, 'limit', readClause) ??
  whereIs(cursor, 'offset', readClause) ??
  whereIs(cursor, 'fetch', readClause);

const readBy = (cursor: Cursor): Trouble => expectWord(cursor, 'by') ?? readClause(cursor);
