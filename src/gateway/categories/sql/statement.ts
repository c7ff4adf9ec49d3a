import { type SqlToken, sqlTokens } from './tokens.ts';

/** One statement, as far as a check has to understand it. */
export interface SqlStatement {
  readonly verb: string;
  /** It may change something, whatever it begins with. */
  readonly writes: boolean;
  readonly tables: readonly string[];
  readonly functions: readonly string[];
  /** The statement with every value taken out: two that differ in values alone have the same. */
  readonly shape: string;
}

export type ReadStatement =
  | { readonly ok: true; readonly statement: SqlStatement }
  | { readonly ok: false; readonly why: string };

/** Words that change something, or might, wherever in a statement they stand. */
const WRITING: ReadonlySet<string> = new Set(
  'insert update delete merge replace truncate drop alter create grant revoke call do copy into set exec execute lock load attach pragma vacuum'.split(
    ' ',
  ),
);

/** After these a table is named. */
const BEFORE_TABLE: ReadonlySet<string> = new Set(['from', 'join', 'update', 'into', 'table', 'using', 'apply']);
const STRAIGHT_JOIN = 'straight_join';

/** May stand between such a word and the table. */
const PASSED: ReadonlySet<string> = new Set(['only', 'lateral', 'ignore', 'low_priority']);

/** Words with a bracket after them that call nothing. */
const NO_FUNCTION: ReadonlySet<string> = new Set(
  'in values and or not on as exists any all some over from join select where when then else by having union except intersect using with case between like limit offset returning into key'.split(
    ' ',
  ),
);

/** Words that end the name of a table instead of being another name for it. */
const AFTER_TABLE: ReadonlySet<string> = new Set(
  'where join inner left right full outer cross natural on using group order having limit offset union except intersect set values select returning for fetch window as when straight_join'.split(
    ' ',
  ),
);

export function readStatement(sql: string): ReadStatement {
  const read = sqlTokens(sql);
  if (!read.ok) return read;
  const tokens = isSign(read.tokens.at(-1), ';') ? read.tokens.slice(0, -1) : read.tokens;
  if (tokens.some((token) => isSign(token, ';'))) return { ok: false, why: 'it is more than one statement' };
  const [first] = tokens;
  if (first?.kind !== 'word') return { ok: false, why: 'it begins with no word' };
  const words = tokens.filter(({ kind }) => kind === 'word').map(({ text }) => text);
  const tables = new Set<string>();
  tokens.forEach((token, place) => {
    if (token.kind !== 'word') return;
    if (BEFORE_TABLE.has(token.text) || token.text === STRAIGHT_JOIN) namesFrom(tokens, place + 1, tables);
  });
  return {
    ok: true,
    statement: {
      verb: first.text,
      writes: words.some((word) => WRITING.has(word)),
      tables: [...tables],
      functions: functionsIn(tokens),
      shape: shapeOf(tokens),
    },
  };
}

const isSign = (token: SqlToken | undefined, text: string): boolean => token?.kind === 'sign' && token.text === text;
const isName = (token: SqlToken | undefined): token is SqlToken => token?.kind === 'word' || token?.kind === 'quoted';

/** The tables of one list, from `place` on; returns the place behind it. What stands in brackets is looked at as well. */
function namesFrom(tokens: readonly SqlToken[], start: number, into: Set<string>): number {
  let place = start;
  for (;;) {
    while (tokens[place]?.kind === 'word' && PASSED.has(tokens[place]?.text ?? '')) place += 1;
    if (isSign(tokens[place], '(')) {
      const inner = tokens[place + 1];
      if (!(inner?.kind === 'word' && ['select', 'with', 'values'].includes(inner.text)))
        namesFrom(tokens, place + 1, into);
      place = closing(tokens, place) + 1;
    } else if (isName(tokens[place])) {
      let name = tokens[place]?.text ?? '';
      place += 1;
      while (isSign(tokens[place], '.') && isName(tokens[place + 1])) {
        name += `.${tokens[place + 1]?.text ?? ''}`;
        place += 2;
      }
      into.add(name);
    } else return place;
    place = pastAlias(tokens, place);
    if (!isSign(tokens[place], ',')) return place;
    place += 1;
  }
}

function pastAlias(tokens: readonly SqlToken[], start: number): number {
  let place = start;
  if (tokens[place]?.kind === 'word' && tokens[place]?.text === 'as') place += 1;
  const alias = tokens[place];
  if (isName(alias) && !(alias.kind === 'word' && AFTER_TABLE.has(alias.text))) place += 1;
  return isSign(tokens[place], '(') ? closing(tokens, place) + 1 : place;
}

function closing(tokens: readonly SqlToken[], open: number): number {
  let depth = 0;
  for (let place = open; place < tokens.length; place += 1) {
    if (isSign(tokens[place], '(')) depth += 1;
    if (isSign(tokens[place], ')')) depth -= 1;
    if (depth === 0) return place;
  }
  return tokens.length;
}

function functionsIn(tokens: readonly SqlToken[]): readonly string[] {
  const called = new Set<string>();
  tokens.forEach((token, place) => {
    if (!isName(token) || !isSign(tokens[place + 1], '(')) return;
    // The columns of an insert stand in brackets behind its table.
    if (token.kind === 'word' && NO_FUNCTION.has(token.text)) return;
    if (isInsertTarget(tokens, place)) return;
    called.add(token.text);
  });
  return [...called];
}

function isInsertTarget(tokens: readonly SqlToken[], place: number): boolean {
  let before = place - 1;
  while (isSign(tokens[before], '.') && isName(tokens[before - 1])) before -= 2;
  return tokens[before]?.kind === 'word' && tokens[before]?.text === 'into';
}

function shapeOf(tokens: readonly SqlToken[]): string {
  return tokens
    .map(({ kind, text }) => (kind === 'value' || text === '?' ? '?' : kind === 'quoted' ? JSON.stringify(text) : text))
    .join(' ');
}
