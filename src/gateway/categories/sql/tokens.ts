/** A piece of a statement. Words are lower case unless they were quoted; values are all alike. */
export interface SqlToken {
  readonly kind: 'word' | 'quoted' | 'value' | 'sign';
  readonly text: string;
}

export type Tokens =
  | { readonly ok: true; readonly tokens: readonly SqlToken[] }
  | { readonly ok: false; readonly why: string };

const BLANK = /[ \t\r\n]/;
const WORD_START = /[A-Za-z_]/;
const WORD = /[A-Za-z0-9_$]/;
const SIGNS = '(),.*=<>!+-/|%;?:';

/**
 * Takes one statement apart. Whatever dialects read differently (comments, backslashes, dollar quotes, brackets,
 * letters outside ASCII) is refused, because a check that reads it one way guards nothing from a server that reads it
 * the other way.
 */
export function sqlTokens(sql: string): Tokens {
  const tokens: SqlToken[] = [];
  let at = 0;
  while (at < sql.length) {
    const char = sql[at] ?? '';
    if (BLANK.test(char)) {
      at += 1;
      continue;
    }
    const next = tokenAt(sql, at, char);
    if (typeof next === 'string') return { ok: false, why: next };
    tokens.push(next.token);
    at = next.end;
  }
  return { ok: true, tokens };
}

type Next = { readonly token: SqlToken; readonly end: number } | string;

function tokenAt(sql: string, at: number, char: string): Next {
  const pair = sql.slice(at, at + 2);
  if (pair === '--' || pair === '/*' || char === '#') return 'it holds a comment';
  if (char === "'" || char === '"' || char === '`') return quotedAt(sql, at, char);
  if (WORD_START.test(char)) return wordAt(sql, at);
  if (/[0-9]/.test(char)) return spanOf(sql, at, /[0-9a-zA-Z_.]/, 'value');
  if (char === '$')
    return /^\$\d+(?![\w$])/.test(sql.slice(at)) ? spanOf(sql, at, /[$0-9]/, 'value') : 'it holds a dollar quote';
  if (SIGNS.includes(char)) return { token: { kind: 'sign', text: char }, end: at + 1 };
  return 'it holds a character that has no place in a plain statement';
}

function wordAt(sql: string, at: number): Next {
  const found = spanOf(sql, at, WORD, 'word');
  if (typeof found === 'string') return found;
  // A string with a letter before it (E'', N'', X'') has rules of its own.
  if (sql[found.end] === "'") return 'it holds a string with a prefix';
  return { token: { kind: 'word', text: found.token.text.toLowerCase() }, end: found.end };
}

function spanOf(sql: string, at: number, part: RegExp, kind: SqlToken['kind']): Next {
  let end = at;
  while (end < sql.length && part.test(sql[end] ?? '')) end += 1;
  return { token: { kind, text: sql.slice(at, end) }, end };
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
    } else return { token: { kind: quote === "'" ? 'value' : 'quoted', text }, end: end + 1 };
  }
  return 'a quote is never closed';
}
