import {
  type Cursor,
  expectWord,
  inBrackets,
  isSign,
  misplaced,
  type Trouble,
  takeSign,
  takeWord,
  whereIs,
  wordHere,
} from './cursor.ts';
import { readExpression } from './expression.ts';
import { readEnd, readQuery, readWhere } from './query.ts';
import { readAlias, readColumns, readTable, readTables } from './tables.ts';

const readReturning = (cursor: Cursor): Trouble => whereIs(cursor, 'returning', (list) => readExpression(list, 'list'));

export const readInsert = (cursor: Cursor): Trouble =>
  expectWord(cursor, 'insert') ??
  expectWord(cursor, 'into') ??
  readTable(cursor) ??
  (isSign(cursor, '(') ? inBrackets(cursor, readColumns) : null) ??
  readSource(cursor) ??
  readReturning(cursor);

function readSource(cursor: Cursor): Trouble {
  if (wordHere(cursor) === 'select') return readQuery(cursor);
  if (!takeWord(cursor, 'values')) return misplaced(cursor);
  let trouble: Trouble = null;
  do {
    trouble = inBrackets(cursor, (row) => readExpression(row, 'brackets'));
  } while (trouble === null && takeSign(cursor, ','));
  return trouble;
}

export const readUpdate = (cursor: Cursor): Trouble =>
  expectWord(cursor, 'update') ??
  readTable(cursor) ??
  readAlias(cursor) ??
  expectWord(cursor, 'set') ??
  readExpression(cursor, 'clause') ??
  whereIs(cursor, 'from', readTables) ??
  readWhere(cursor) ??
  readReturning(cursor) ??
  readEnd(cursor);

export const readDelete = (cursor: Cursor): Trouble =>
  expectWord(cursor, 'delete') ??
  expectWord(cursor, 'from') ??
  readTable(cursor) ??
  readAlias(cursor) ??
  whereIs(cursor, 'using', readTables) ??
  readWhere(cursor) ??
  readReturning(cursor) ??
  readEnd(cursor);
