import type { SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';

/** Casts a row: columns are named like the fields, and strict tables guarantee their types. */
export function plainRow<Row>(row: object): Row {
  return Object.freeze({ ...row }) as Row;
}

/**
 * The rows of a query. The driver refuses a whole result for one integer that is no safe number, and a listing must show
 * the other rows. Such an integer becomes the nearest number, which is not safe either, so its reader can tell.
 */
export function allRows<Row>(statement: StatementSync, values: readonly SQLInputValue[]): readonly Row[] {
  return readRounded(statement, () => statement.all(...values)).map((row) => plainRow<Row>(row));
}

/** The first row of such a query. */
export function firstRow<Row>(statement: StatementSync, values: readonly SQLInputValue[]): Row | undefined {
  const [row] = readRounded(statement, () => [statement.get(...values)].filter((found) => found !== undefined));
  return row === undefined ? undefined : plainRow<Row>(row);
}

type Stored = Record<string, SQLOutputValue>;

function readRounded(statement: StatementSync, read: () => Stored[]): Stored[] {
  try {
    return read();
  } catch (error) {
    if (!isOutOfRange(error)) throw error;
  }
  statement.setReadBigInts(true);
  try {
    return read().map(rounded);
  } finally {
    statement.setReadBigInts(false);
  }
}

const rounded = (row: Stored): Stored =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column, typeof value === 'bigint' ? Number(value) : value]),
  );

/** Whether the driver refused an integer that is no safe number. */
export const isOutOfRange = (error: unknown): boolean =>
  error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE';
