import { type Cursor, here, inBrackets, isSign, misplaced, type Trouble, takeSign, wordHere } from './cursor.ts';
import { NO_FUNCTION, STRUCTURE, WORDY } from './words.ts';

type Within = 'clause' | 'condition' | 'brackets' | 'wordy';

/**
 * Reads values, names and operators until a word of structure, the end of the brackets or, in the condition of a join, a
 * comma: behind that comma stands the next table. How the operators bind matters to the server and not to the check.
 */
export function readExpression(cursor: Cursor, within: Within = 'clause'): Trouble {
  const start = cursor.at;
  while (here(cursor) !== undefined && !isSign(cursor, ')')) {
    if (within === 'condition' && isSign(cursor, ',')) break;
    if (endsHere(cursor, within)) break;
    const trouble = readPiece(cursor);
    if (trouble !== null) return trouble;
  }
  return cursor.at > start || within === 'brackets' ? null : misplaced(cursor);
}

function endsHere(cursor: Cursor, within: Within): boolean {
  const word = wordHere(cursor);
  if (word === undefined || !STRUCTURE.has(word)) return false;
  // `left(name, 1)` is a function; the join of that name has another word behind it.
  if ((word === 'left' || word === 'right') && isSign(cursor, '(', 1)) return false;
  if (within === 'wordy' && (word === 'from' || word === 'for')) return false;
  return !(word === 'order' && (within === 'brackets' || within === 'wordy') && wordHere(cursor, 1) === 'by');
}

function readPiece(cursor: Cursor): Trouble {
  if (isSign(cursor, '(')) return inBrackets(cursor, readInner);
  const word = wordHere(cursor);
  if (word === 'in') return readIn(cursor);
  if (word !== undefined && NO_FUNCTION.has(word)) {
    cursor.at += 1;
    return null;
  }
  if (word !== undefined || here(cursor)?.kind === 'quoted') return readName(cursor);
  if (isSign(cursor, '.')) return misplaced(cursor);
  cursor.at += 1;
  return null;
}

const readInner = (cursor: Cursor): Trouble =>
  wordHere(cursor) === 'select' ? cursor.query(cursor) : readExpression(cursor, 'brackets');

/** To some servers what follows may be a table, without brackets. */
function readIn(cursor: Cursor): Trouble {
  cursor.at += 1;
  return isSign(cursor, '(') ? null : misplaced(cursor);
}

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
