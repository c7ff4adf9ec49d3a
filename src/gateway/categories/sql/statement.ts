import type { StatementVerb } from '../../../model/tool/rules/database.ts';
import { readDelete, readInsert, readQuery, readUpdate } from './change.ts';
import {
  type Cursor,
  here,
  misplaced,
  type SqlToken,
  type SqlTrouble,
  sqlTokens,
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

const READERS: ReadonlyMap<string, readonly [StatementVerb, (cursor: Cursor) => SqlTrouble]> = new Map([
  ['select', ['select', readQuery]],
  ['insert', ['insert', readInsert]],
  ['update', ['update', readUpdate]],
  ['delete', ['delete', readDelete]],
] as const);

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
