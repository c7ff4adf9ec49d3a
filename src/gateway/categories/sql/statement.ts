import type { StatementVerb } from '../../../model/tool/rules/database.ts';
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
  type SqlToken,
  type SqlTrouble,
  STANDALONE_STATEMENTS,
  STRUCTURE,
  sqlTokens,
  takeSign,
  takeWord,
  WRITING,
  wordHere,
} from './tokens.ts';

/** One statement, reduced to the facts that the check needs. */
export interface SqlStatement {
  readonly verb: StatementVerb;
  /** Whether it contains any keyword that may write, regardless of its verb. */
  readonly writes: boolean;
  /** Every table that it names, as written, e.g. `orders` or `shop.orders`. */
  readonly tables: readonly string[];
  /** Every function that it calls, with its schema if it has one. */
  readonly functions: readonly string[];
  readonly tokens: readonly SqlToken[];
}

export type ReadStatement =
  | { readonly ok: true; readonly statement: SqlStatement }
  | { readonly ok: false; readonly why: string };

/** Longer statements are refused unread: the check blocks the event loop of the process. */
const STATEMENT_MAX = 20_000;

/**
 * Parses one statement with the grammar that SQL servers have in common. Everything else is refused, because an unknown
 * construct could hide a table that is not permitted.
 */
export function readStatement(sql: string): ReadStatement {
  if (sql.length > STATEMENT_MAX) return { ok: false, why: `it is longer than ${STATEMENT_MAX} characters` };
  const read = sqlTokens(sql);
  if (!read.ok) return read;
  const last = read.tokens.at(-1);
  const tokens = last?.kind === 'sign' && last.text === ';' ? read.tokens.slice(0, -1) : read.tokens;
  if (tokens.some(({ kind, text }) => kind === 'sign' && text === ';')) {
    return { ok: false, why: 'it is more than one statement' };
  }
  const cursor: Cursor = { tokens, at: 0, depth: 0, tables: new Set(), functions: new Set(), query: readQuery };
  const reader = READERS.get(wordHere(cursor) ?? '');
  if (reader === undefined) return { ok: false, why: `it begins with none of ${[...READERS.keys()].join(', ')}` };
  const [verb, parse] = reader;
  const trouble = parse(cursor) ?? (here(cursor) === undefined ? null : misplaced(cursor));
  if (trouble !== null) return { ok: false, why: trouble };
  const writes = tokens.some(({ kind, text }) => kind === 'word' && WRITING.has(text.toLowerCase()));
  return {
    ok: true,
    statement: { verb, writes, tables: [...cursor.tables], functions: [...cursor.functions], tokens },
  };
}

/**
 * Whether a statement equals a preauthorised one, token by token. A parameter of the preauthorised statement matches
 * one value or one parameter; a literal matches only itself.
 */
export function sameStatement(written: readonly SqlToken[], sent: readonly SqlToken[]): boolean {
  return written.length === sent.length && written.every((token, at) => fills(token, sent[at]));
}

function fills(written: SqlToken, sent: SqlToken | undefined): boolean {
  if (sent === undefined) return false;
  if (written.kind === 'parameter') return ['parameter', 'text', 'number'].includes(sent.kind);
  if (written.kind !== sent.kind) return false;
  return written.kind === 'word' ? written.text.toLowerCase() === sent.text.toLowerCase() : written.text === sent.text;
}

const readReturning = (cursor: Cursor): SqlTrouble =>
  readOptional(cursor, 'returning', (list) => readExpression(list, 'list'));

const readInsert = (cursor: Cursor): SqlTrouble =>
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

const readUpdate = (cursor: Cursor): SqlTrouble =>
  expectWord(cursor, 'update') ??
  readTable(cursor) ??
  readAlias(cursor) ??
  expectWord(cursor, 'set') ??
  readExpression(cursor, 'clause') ??
  readOptional(cursor, 'from', readTables) ??
  readWhere(cursor) ??
  readReturning(cursor) ??
  readEnd(cursor);

const readDelete = (cursor: Cursor): SqlTrouble =>
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
function readQuery(cursor: Cursor): SqlTrouble {
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

const READERS: ReadonlyMap<string, readonly [StatementVerb, (cursor: Cursor) => SqlTrouble]> = new Map([
  ['select', ['select', readQuery]],
  ['insert', ['insert', readInsert]],
  ['update', ['update', readUpdate]],
  ['delete', ['delete', readDelete]],
] as const);
