import {
  type Cursor,
  here,
  INFIX,
  inBrackets,
  isSign,
  KEYWORD_ARGUMENT_FUNCTIONS,
  misplaced,
  NO_FUNCTION,
  POSTFIX,
  type SqlTrouble,
  STANDALONE_STATEMENTS,
  STRUCTURE,
  TYPED,
  takeSign,
  wordHere,
} from './tokens.ts';

/** The context of an expression: a select list has aliases, a join condition ends at a comma, brackets end at `)`. */
type Within = 'list' | 'clause' | 'condition' | 'brackets' | 'wordy';

/** The kind of the last token read: a value, or an operator that needs one. */
type Read = 'value' | 'operator';

/**
 * Reads values, names and operators until a structural keyword, the closing bracket or, in a join condition, a comma,
 * which the next table follows. Operator precedence does not matter here. Two adjacent values do: some servers take the
 * second one as the start of another statement, so they are refused.
 */
export function readExpression(cursor: Cursor, within: Within): SqlTrouble {
  const start = cursor.at;
  let last: Read = 'operator';
  while (!endsHere(cursor, within)) {
    const next = kindHere(cursor, last);
    if (next === 'value' && last === 'value' && !isOtherName(cursor, within)) return misplaced(cursor);
    const trouble = next === 'value' ? readValue(cursor) : readOperator(cursor);
    if (trouble !== null) return trouble;
    last = next === 'postfix' ? 'value' : next;
  }
  return cursor.at > start || within === 'brackets' ? null : misplaced(cursor);
}

function endsHere(cursor: Cursor, within: Within): boolean {
  if (here(cursor) === undefined || isSign(cursor, ')')) return true;
  if (within === 'condition' && isSign(cursor, ',')) return true;
  const word = wordHere(cursor);
  if (word === undefined || !STRUCTURE.has(word)) return false;
  // `left(name, 1)` is a function call; in a join another keyword follows.
  if ((word === 'left' || word === 'right') && isSign(cursor, '(', 1)) return false;
  if (within === 'wordy' && (word === 'from' || word === 'for')) return false;
  return !(word === 'order' && (within === 'brackets' || within === 'wordy') && wordHere(cursor, 1) === 'by');
}

function kindHere(cursor: Cursor, last: Read): Read | 'postfix' {
  const word = wordHere(cursor);
  if (word !== undefined) {
    if (isSign(cursor, '(', 1) && !NO_FUNCTION.has(word)) return 'value';
    if (isSign(cursor, '.', 1) || isTyped(cursor)) return 'value';
    if (POSTFIX.has(word)) return 'postfix';
    return INFIX.has(word) ? 'operator' : 'value';
  }
  // `*` is all columns or multiplication.
  if (isSign(cursor, '*')) return last === 'value' ? 'operator' : 'value';
  return here(cursor)?.kind === 'sign' && !isSign(cursor, '(') ? 'operator' : 'value';
}

const isTyped = (cursor: Cursor): boolean => TYPED.has(wordHere(cursor) ?? '') && here(cursor, 1)?.kind === 'text';

/** Whether the token is a column alias without AS, as in `total sum`: the list continues or ends right after it. */
function isOtherName(cursor: Cursor, within: Within): boolean {
  const { kind } = here(cursor) ?? {};
  if (within !== 'list' || (kind !== 'word' && kind !== 'quoted')) return false;
  const after = { ...cursor, at: cursor.at + 1 };
  return isSign(after, ',') || endsHere(after, within);
}

function readOperator(cursor: Cursor): SqlTrouble {
  // Some servers accept a table after IN without brackets.
  if (wordHere(cursor) === 'in' && !isSign(cursor, '(', 1)) return misplaced({ ...cursor, at: cursor.at + 1 });
  if (isSign(cursor, '.')) return misplaced(cursor);
  cursor.at += 1;
  return null;
}

function readValue(cursor: Cursor): SqlTrouble {
  if (isSign(cursor, '(')) return inBrackets(cursor, readInner);
  const word = wordHere(cursor);
  if (word !== undefined && STANDALONE_STATEMENTS.has(word)) return misplaced(cursor);
  if (word !== undefined && isTyped(cursor)) cursor.at += 1;
  else if (word !== undefined || here(cursor)?.kind === 'quoted') return readName(cursor);
  cursor.at += 1;
  return null;
}

const readInner = (cursor: Cursor): SqlTrouble =>
  wordHere(cursor) === 'select' ? cursor.query(cursor) : readExpression(cursor, 'brackets');

/** A column with its qualifiers, or a function call with its arguments. */
function readName(cursor: Cursor): SqlTrouble {
  const parts = [nameText(cursor)];
  cursor.at += 1;
  while (takeSign(cursor, '.')) {
    if (takeSign(cursor, '*')) return null;
    const { kind } = here(cursor) ?? {};
    if (kind !== 'word' && kind !== 'quoted') return misplaced(cursor);
    parts.push(nameText(cursor));
    cursor.at += 1;
  }
  if (!isSign(cursor, '(')) return null;
  const name = parts.join('.');
  cursor.functions.add(name);
  if (!KEYWORD_ARGUMENT_FUNCTIONS.has(name)) return inBrackets(cursor, readInner);
  return inBrackets(cursor, (inner) =>
    wordHere(inner) === 'select' ? inner.query(inner) : readExpression(inner, 'wordy'),
  );
}

const nameText = (cursor: Cursor): string => wordHere(cursor) ?? here(cursor)?.text ?? '';
