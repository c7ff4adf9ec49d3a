/** A piece of a statement. Words are as they were written; what is quoted is without its quotes. */
export interface SqlToken {
  readonly kind: 'word' | 'quoted' | 'text' | 'number' | 'parameter' | 'sign';
  readonly text: string;
}

export type Tokens =
  | { readonly ok: true; readonly tokens: readonly SqlToken[] }
  | { readonly ok: false; readonly why: string };

/** Tried in this order at every place, each from there on; none looks further back or ahead than its own piece. */
const PIECES: readonly (readonly [SqlToken['kind'], RegExp])[] = [
  ['word', /[A-Za-z_][A-Za-z0-9_$]*/y],
  ['number', /[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y],
  ['parameter', /\?[0-9]*|\$[0-9]+|:[A-Za-z_][A-Za-z0-9_]*/y],
  ['sign', /::|[(),.*=<>!+\-/|%;]/y],
];

const BLANKS = /[ \t\r\n]+/y;
const COMMENT = /--|\/\*|#/y;

/** Where one of these stands right after a word or a value, servers disagree about where the one ends. */
const GLUED: Readonly<Record<SqlToken['kind'], RegExp | null>> = {
  word: /'/y,
  number: /[A-Za-z0-9_$.'"`]/y,
  parameter: /[A-Za-z0-9_$.'"`?]/y,
  quoted: /[A-Za-z0-9_$'"`]/y,
  text: /[A-Za-z0-9_$'"`]/y,
  sign: null,
};

/**
 * Takes one statement apart, once from left to right. Whatever servers read differently (comments, backslashes, dollar
 * quotes, brackets, letters outside ASCII, a letter right behind a number) is refused, because a check that reads it one
 * way guards nothing from a server that reads it the other way.
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

/** Doubled quotes are part of what is quoted. A backslash is an escape to some servers and a character to others. */
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
      // To servers that do not quote with it, what stands between two of them is part of the statement.
      return 'it holds a back-quoted name that is no plain one';
    } else return { token: { kind: quote === "'" ? 'text' : 'quoted', text }, end: end + 1 };
  }
  return 'a quote is never closed';
}
