import { type Cursor, here, inBrackets, isSign, misplaced, type Trouble, takeSign, wordHere } from './cursor.ts';
import { ALONE, INFIX, NO_FUNCTION, POSTFIX, STRUCTURE, TYPED, WORDY } from './words.ts';

/** A list of columns gives them other names; the condition of a join ends at a comma; brackets end at the closing one. */
type Within = 'list' | 'clause' | 'condition' | 'brackets' | 'wordy';

/** What was read last: something that has a value, or something that asks for one. */
type Read = 'value' | 'operator';

/**
 * Reads values, names and operators until a word of structure, the end of the brackets or, in the condition of a join, a
 * comma: behind that comma stands the next table. How the operators bind matters to the server and not to the check; that
 * there is one between two values does, because to some servers the second value begins another statement.
 */
export function readExpression(cursor: Cursor, within: Within): Trouble {
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
  // `left(name, 1)` is a function; the join of that name has another word behind it.
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
  // All columns, or times.
  if (isSign(cursor, '*')) return last === 'value' ? 'operator' : 'value';
  return here(cursor)?.kind === 'sign' && !isSign(cursor, '(') ? 'operator' : 'value';
}

const isTyped = (cursor: Cursor): boolean => TYPED.has(wordHere(cursor) ?? '') && here(cursor, 1)?.kind === 'text';

/** `total sum`: another name for a column, with nothing behind it that would make it more than that. */
function isOtherName(cursor: Cursor, within: Within): boolean {
  const { kind } = here(cursor) ?? {};
  if (within !== 'list' || (kind !== 'word' && kind !== 'quoted')) return false;
  const after = { ...cursor, at: cursor.at + 1 };
  return isSign(after, ',') || endsHere(after, within);
}

function readOperator(cursor: Cursor): Trouble {
  // To some servers a table may follow, without brackets.
  if (wordHere(cursor) === 'in' && !isSign(cursor, '(', 1)) return misplaced({ ...cursor, at: cursor.at + 1 });
  if (isSign(cursor, '.')) return misplaced(cursor);
  cursor.at += 1;
  return null;
}

function readValue(cursor: Cursor): Trouble {
  if (isSign(cursor, '(')) return inBrackets(cursor, readInner);
  const word = wordHere(cursor);
  if (word !== undefined && ALONE.has(word)) return misplaced(cursor);
  if (word !== undefined && isTyped(cursor)) cursor.at += 1;
  else if (word !== undefined || here(cursor)?.kind === 'quoted') return readName(cursor);
  cursor.at += 1;
  return null;
}

const readInner = (cursor: Cursor): Trouble =>
  wordHere(cursor) === 'select' ? cursor.query(cursor) : readExpression(cursor, 'brackets');

/** A column, with what it belongs to before it; or a function, with its arguments. */
function readName(cursor: Cursor): Trouble {
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
  if (!WORDY.has(name)) return inBrackets(cursor, readInner);
  return inBrackets(cursor, (inner) =>
    wordHere(inner) === 'select' ? inner.query(inner) : readExpression(inner, 'wordy'),
  );
}

const nameText = (cursor: Cursor): string => wordHere(cursor) ?? here(cursor)?.text ?? '';
