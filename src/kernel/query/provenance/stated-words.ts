/** Normalizes a text to composed characters and single blanks. Case is kept: it distinguishes names. */
export const foldText = (text: string): string => text.normalize('NFC').replace(/\s+/gu, ' ').trim();

const OPENING = new Set(['"', "'", '“', '‘', '„', '«', '(', '[', '{', '<']);
const CLOSING = new Set(['"', "'", '”', '’', '“', '»', ')', ']', '}', '>', '.', ',', ';', ':', '!', '?']);
/** Limits the punctuation stripped from a word, so that untrusted text cannot slow down the search. */
const MARKS_MAX = 8;

/** A folded text with the offsets of each word, with and without surrounding punctuation. */
export interface IndexedText {
  readonly text: string;
  readonly starts: ReadonlyMap<string, readonly number[]>;
}

export function indexWords(text: string): IndexedText {
  const starts = new Map<string, number[]>();
  let at = 0;
  for (const word of text.split(' ')) {
    for (const [offset, bare] of bareForms(word)) {
      const known = starts.get(bare);
      if (known === undefined) starts.set(bare, [at + offset]);
      else known.push(at + offset);
    }
    at += word.length + 1;
  }
  return { text, starts };
}

/** Yields a word with its offset, without 0 to `MARKS_MAX` opening and closing marks. */
function* bareForms(word: string): Generator<readonly [number, string]> {
  for (let from = 0; from <= MARKS_MAX && from < word.length; from += 1) {
    if (from > 0 && !OPENING.has(word[from - 1] ?? '')) return;
    for (let cut = 0; cut <= MARKS_MAX && word.length - cut > from; cut += 1) {
      if (cut > 0 && !CLOSING.has(word[word.length - cut] ?? '')) break;
      yield [from, word.slice(from, word.length - cut)];
    }
  }
}

/**
 * Whether a text contains the words as complete words, with only quotes, brackets and sentence marks around them. A
 * part of an address or of a number does not count.
 */
export function containsWords({ text, starts }: IndexedText, words: string): boolean {
  const blank = words.indexOf(' ');
  if (blank < 0) return starts.has(words);
  const places = starts.get(words.slice(0, blank));
  return places !== undefined && occursAt(text, words, new Set(places));
}

/** Whether the words start at one of the offsets. Uses Knuth-Morris-Pratt: repetitive requests cost linear time. */
function occursAt(text: string, words: string, places: ReadonlySet<number>): boolean {
  const borders = bordersOf(words);
  for (let at = 0, matched = 0; at < text.length; at += 1) {
    while (matched > 0 && text[at] !== words[matched]) matched = borders[matched - 1] ?? 0;
    if (text[at] === words[matched]) matched += 1;
    if (matched < words.length) continue;
    if (places.has(at + 1 - matched) && endsAt(text, at + 1)) return true;
    matched = borders[matched - 1] ?? 0;
  }
  return false;
}

/** The Knuth-Morris-Pratt table: for each prefix, the length of its longest proper prefix that is also its suffix. */
function bordersOf(words: string): readonly number[] {
  const borders = [0];
  for (let at = 1, matched = 0; at < words.length; at += 1) {
    while (matched > 0 && words[at] !== words[matched]) matched = borders[matched - 1] ?? 0;
    if (words[at] === words[matched]) matched += 1;
    borders.push(matched);
  }
  return borders;
}

function endsAt(text: string, from: number): boolean {
  for (let at = from; at <= from + MARKS_MAX; at += 1) {
    const char = text[at];
    if (char === undefined || char === ' ') return true;
    if (!CLOSING.has(char)) return false;
  }
  return false;
}

/** The words of a folded text without surrounding quotes, brackets and sentence marks. */
export function wordsOf(text: string): readonly string[] {
  return text.split(' ').map((word) => {
    let [from, to] = [0, word.length];
    while (from < to && OPENING.has(word[from] ?? '')) from += 1;
    while (to > from && CLOSING.has(word[to - 1] ?? '')) to -= 1;
    return word.slice(from, to);
  });
}
