/** One spelling per text: composed characters, single blanks. Letters keep their case; a name in another case is another. */
export const folded = (text: string): string => text.normalize('NFC').replace(/\s+/gu, ' ').trim();

const OPENING = new Set(['"', "'", '“', '‘', '„', '«', '(', '[', '{', '<']);
const CLOSING = new Set(['"', "'", '”', '’', '“', '»', ')', ']', '}', '>', '.', ',', ';', ':', '!', '?']);
/** More marks than this in a row are no longer punctuation, and a stranger's text must not make the search slow. */
const MARKS_MAX = 8;

/**
 * Whether a folded text holds the words as a whole: between them and the next blank on either side stands nothing but
 * quotes, brackets and the marks that end a sentence. So a part of an address or of a number is not stated by the whole.
 */
export function saysWords(text: string, words: string): boolean {
  if (words === '') return false;
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    if (isFree(text, at - 1, -1, OPENING) && isFree(text, at + words.length, 1, CLOSING)) return true;
  }
  return false;
}

function isFree(text: string, from: number, way: 1 | -1, marks: ReadonlySet<string>): boolean {
  for (let count = 0, at = from; count <= MARKS_MAX; count += 1, at += way) {
    const char = text[at];
    if (char === undefined || char === ' ') return true;
    if (!marks.has(char)) return false;
  }
  return false;
}

/** The words of a folded text without the quotes, brackets and sentence marks around them. */
export function wordsOf(text: string): readonly string[] {
  return text.split(' ').map((word) => {
    let [from, to] = [0, word.length];
    while (from < to && OPENING.has(word[from] ?? '')) from += 1;
    while (to > from && CLOSING.has(word[to - 1] ?? '')) to -= 1;
    return word.slice(from, to);
  });
}
