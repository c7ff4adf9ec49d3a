/** A token of a statement. Words keep their case; quoted names and texts come without their quotes. */
export interface SqlToken {
  readonly kind: 'word' | 'quoted' | 'text' | 'number' | 'parameter' | 'sign';
  readonly text: string;
}

type Tokens =
  | { readonly ok: true; readonly tokens: readonly SqlToken[] }
  | { readonly ok: false; readonly why: string };

/** Tried in this order at each position. */
const PIECES: readonly (readonly [SqlToken['kind'], RegExp])[] = [
  ['word', /[A-Za-z_][A-Za-z0-9_$]*/y],
  ['number', /[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y],
  ['parameter', /\?[0-9]*|\$[0-9]+|:[A-Za-z_][A-Za-z0-9_]*/y],
  ['sign', /::|[(),.*=<>!+\-/|%;]/y],
];

const BLANKS = /[ \t\r\n]+/y;
const COMMENT = /--|\/\*|#/y;

/** Characters that may not directly follow a token, because servers disagree about where the token ends. */
const GLUED: Readonly<Record<SqlToken['kind'], RegExp | null>> = {
  word: /'/y,
  number: /[A-Za-z0-9_$.'"`]/y,
  parameter: /[A-Za-z0-9_$.'"`?]/y,
  quoted: /[A-Za-z0-9_$'"`]/y,
  text: /[A-Za-z0-9_$'"`]/y,
  sign: null,
};

/**
 * Splits one statement into tokens in one pass. Anything that servers read differently (comments, backslashes, dollar
 * quotes, brackets, letters outside ASCII, a letter right after a number) is refused: the check and the server could
 * disagree about its meaning.
 */
export function sqlTokens(sql: string): Tokens {
  const tokens: SqlToken[] = [];
  let at = endOf(BLANKS, sql, 0) ?? 0;
  while (at < sql.length) {
    if (endOf(COMMENT, sql, at) !== null) return { ok: false, why: 'it holds a comment' };
    const next = tokenAt(sql, at);
    if (typeof next === 'string') return { ok: false, why: next };
    const glued = GLUED[next.token.kind];
    if (glued !== null && endOf(glued, sql, next.end) !== null) {
      return { ok: false, why: `nothing may stand right after ${JSON.stringify(sql.slice(at, next.end).slice(-40))}` };
    }
    tokens.push(next.token);
    at = endOf(BLANKS, sql, next.end) ?? next.end;
  }
  return { ok: true, tokens };
}

type Next = { readonly token: SqlToken; readonly end: number } | string;

function endOf(pattern: RegExp, sql: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(sql) ? pattern.lastIndex : null;
}

function tokenAt(sql: string, at: number): Next {
  const char = sql[at] ?? '';
  if (char === "'" || char === '"' || char === '`') return quotedAt(sql, at, char);
  for (const [kind, pattern] of PIECES) {
    const end = endOf(pattern, sql, at);
    if (end !== null) return { token: { kind, text: sql.slice(at, end) }, end };
  }
  return 'it holds a character that has no place in a plain statement';
}

/** Reads a quoted token. A backslash is refused, because only some servers take it as an escape. */
function quotedAt(sql: string, at: number, quote: string): Next {
  let text = '';
  for (let end = at + 1; end < sql.length; end += 1) {
    const char = sql[end] ?? '';
    if (char === '\\') return 'it holds a backslash in quotes';
    if (char === '\u0000') return 'it holds a null character';
    if (char !== quote) text += char;
    else if (sql[end + 1] === quote) {
      text += quote;
      end += 1;
    } else if (quote === '`' && !/^[A-Za-z0-9_$]+$/.test(text)) {
      // On a server without back quotes, the text between them is part of the statement.
      return 'it holds a back-quoted name that is no plain one';
    } else return { token: { kind: quote === "'" ? 'text' : 'quoted', text }, end: end + 1 };
  }
  return 'a quote is never closed';
}

/** The position in a statement and the tables and functions found so far. */
export interface Cursor {
  readonly tokens: readonly SqlToken[];
  at: number;
  depth: number;
  readonly tables: Set<string>;
  readonly functions: Set<string>;
  /** The query reader, passed in because expressions and tables contain queries and queries contain both. */
  readonly query: (cursor: Cursor) => SqlTrouble;
}

/** The reason why the statement is refused, or null if the part was read and the cursor is behind it. */
export type SqlTrouble = string | null;

/** The deepest nesting of brackets. Each level costs a stack frame. */
const DEPTH_MAX = 32;

export const here = (cursor: Cursor, ahead = 0): SqlToken | undefined => cursor.tokens[cursor.at + ahead];

/** The keyword or name at the cursor in lower case; undefined for any other token. */
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

/** The reason for refusing the token at the cursor. */
export function misplaced(cursor: Cursor): string {
  const token = here(cursor);
  if (token === undefined) return 'it ends too early';
  return `${JSON.stringify(token.text.slice(0, 40))} has no place where it stands`;
}

export const expectWord = (cursor: Cursor, word: string): SqlTrouble =>
  takeWord(cursor, word) ? null : misplaced(cursor);

/** Reads a bracketed part, including both brackets. */
export function inBrackets(cursor: Cursor, inside: (cursor: Cursor) => SqlTrouble): SqlTrouble {
  if (!takeSign(cursor, '(')) return misplaced(cursor);
  if (cursor.depth >= DEPTH_MAX) return `it has more than ${DEPTH_MAX} brackets in one another`;
  cursor.depth += 1;
  const trouble = inside(cursor);
  cursor.depth -= 1;
  if (trouble !== null) return trouble;
  return takeSign(cursor, ')') ? null : misplaced(cursor);
}

/** Reads an optional part that begins with a keyword. */
export const readOptional = (cursor: Cursor, word: string, part: (cursor: Cursor) => SqlTrouble): SqlTrouble =>
  takeWord(cursor, word) ? part(cursor) : null;

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Keywords that write, or might, anywhere in a statement. */
export const WRITING: ReadonlySet<string> = words(
  'insert update delete merge replace truncate drop alter create grant revoke call do copy into set exec execute lock load attach pragma vacuum',
);

/**
 * Keywords that structure a statement. Each ends an expression and has to appear where the grammar expects it, so every
 * position where a table could follow is either read as one or refused.
 */
export const STRUCTURE: ReadonlySet<string> = words(
  'select from where group having order limit offset fetch union except intersect minus join inner left right full outer cross natural straight_join apply on using into set values insert update delete merge with recursive table tables window qualify returning for lock procedure lateral unnest pivot unpivot tablesample call exec execute do copy attach pragma',
);

/** Keywords that are neither a table name nor an alias, although they do not structure the statement. */
export const NO_NAME: ReadonlySet<string> = words(
  'as and or not in is null like between case when then else end exists any all some distinct by asc desc over only',
);

/**
 * Keywords that are a complete statement on servers that need no semicolon. They are refused as unquoted names, because
 * such a server would run them as the next statement.
 */
export const STANDALONE_STATEMENTS: ReadonlySet<string> = words(
  'shutdown checkpoint reconfigure commit rollback return break continue revert begin go',
);

/** Keywords in an expression that a value may follow. */
export const INFIX: ReadonlySet<string> = words(
  'and or not in is like ilike between case when then else exists any all some distinct as escape collate at time zone div mod xor regexp rlike similar to glob over by from for order partition both leading trailing interval rows range groups first next',
);

/** Keywords in an expression that may follow a value. */
export const POSTFIX: ReadonlySet<string> = words(
  'end asc desc nulls last isnull notnull preceding following row only precision varying year quarter month week day hour minute second',
);

/** Keywords that turn the following text into a value, as in `date '2030-01-01'`. */
export const TYPED: ReadonlySet<string> = words('date time timestamp interval');

/** Keywords that are not a function call even if a bracket follows. */
export const NO_FUNCTION: ReadonlySet<string> = words(
  'in and or not exists any all some over as when then else case between like by distinct is',
);

/** Functions whose arguments are separated by keywords, as in `extract(year from placed_at)`. */
export const KEYWORD_ARGUMENT_FUNCTIONS: ReadonlySet<string> = words('extract substring trim');

/** The permitted keyword sequences of a join. */
export const JOINS: ReadonlySet<string> = new Set([
  'join',
  'straight_join',
  'inner join',
  'cross join',
  ...['left', 'right', 'full'].flatMap((side) => [`${side} join`, `${side} outer join`]),
  'natural join',
  'natural inner join',
  ...['left', 'right', 'full'].flatMap((side) => [`natural ${side} join`, `natural ${side} outer join`]),
]);

/** The keywords that occur in a join. */
export const JOIN_WORDS: ReadonlySet<string> = words('join straight_join inner cross left right full outer natural');
