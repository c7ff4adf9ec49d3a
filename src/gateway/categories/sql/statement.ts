import type { StatementVerb } from '../../../model/rules/database.ts';
import { readDelete, readInsert, readUpdate } from './change.ts';
import { type Cursor, here, misplaced, type Trouble, wordHere } from './cursor.ts';
import { readQuery } from './query.ts';
import { type SqlToken, sqlTokens } from './tokens.ts';
import { WRITING } from './words.ts';

/** One statement, as far as a check has to understand it. */
export interface SqlStatement {
  readonly verb: StatementVerb;
  /** It may change something, whatever it begins with. */
  readonly writes: boolean;
  /** Every table that it names, as it is written there, with its schema where it has one. */
  readonly tables: readonly string[];
  /** Every function that it calls, with its schema where it has one. */
  readonly functions: readonly string[];
  readonly tokens: readonly SqlToken[];
}

export type ReadStatement =
  | { readonly ok: true; readonly statement: SqlStatement }
  | { readonly ok: false; readonly why: string };

/** Longer ones are refused before anything is read: the check runs where every other run waits for it. */
const STATEMENT_MAX = 20_000;

const READERS: ReadonlyMap<string, readonly [StatementVerb, (cursor: Cursor) => Trouble]> = new Map([
  ['select', ['select', readQuery]],
  ['insert', ['insert', readInsert]],
  ['update', ['update', readUpdate]],
  ['delete', ['delete', readDelete]],
] as const);

/**
 * Reads one statement by a grammar of what SQL servers have in common. What the grammar does not know is refused: a
 * table that stands where the check does not look for one is a table that nobody permitted.
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
 * Whether a statement is the one that was written down, word for word. Where that has a parameter, one value or one
 * parameter stands; a value that it states is meant as it stands there.
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
