/** One spelling per text: composed characters, single blanks. Letters keep their case; a name in another case is another. */
export const folded = (text: string): string => text.normalize('NFC').replace(/\s+/gu, ' ').trim();

const OPENING = new Set(['"', "'", '“', '‘', '„', '«', '(', '[', '{', '<']);
const CLOSING = new Set(['"', "'", '”', '’', '“', '»', ')', ']', '}', '>', '.', ',', ';', ':', '!', '?']);
/** More marks than this in a row are no longer punctuation, and a stranger's text must not make the search slow. */
const MARKS_MAX = 8;

/** A folded text, and where in it each word begins, with and without the marks around it. */
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

/** A word as it stands, and without each of the marks that open and close it, with how far in it then begins. */
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
 * Whether a text holds the words as a whole: between them and the next blank on either side stands nothing but quotes,
 * brackets and the marks that end a sentence. So a part of an address or of a number is not stated by the whole.
 */
export function saysWords({ text, starts }: IndexedText, words: string): boolean {
  const blank = words.indexOf(' ');
  if (blank < 0) return starts.has(words);
  const places = starts.get(words.slice(0, blank));
  return places !== undefined && holdsAt(text, words, new Set(places));
}

/**
 * Whether the words stand at one of the places. Looks at each character of the text once (Knuth, Morris, Pratt): a
 * request that says the same over and over must not cost its length times that of an argument.
 */
function holdsAt(text: string, words: string, places: ReadonlySet<number>): boolean {
  const borders = bordersOf(words);
  for (let at = 0, met = 0; at < text.length; at += 1) {
    while (met > 0 && text[at] !== words[met]) met = borders[met - 1] ?? 0;
    if (text[at] === words[met]) met += 1;
    if (met < words.length) continue;
    if (places.has(at + 1 - met) && endsAt(text, at + 1)) return true;
    met = borders[met - 1] ?? 0;
  }
  return false;
}

/** Of each beginning of the words, how long the longest of its own beginnings is that it also ends with. */
function bordersOf(words: string): readonly number[] {
  const borders = [0];
  for (let at = 1, met = 0; at < words.length; at += 1) {
    while (met > 0 && words[at] !== words[met]) met = borders[met - 1] ?? 0;
    if (words[at] === words[met]) met += 1;
    borders.push(met);
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

/** The words of a folded text without the quotes, brackets and sentence marks around them. */
export function wordsOf(text: string): readonly string[] {
  return text.split(' ').map((word) => {
    let [from, to] = [0, word.length];
    while (from < to && OPENING.has(word[from] ?? '')) from += 1;
    while (to > from && CLOSING.has(word[to - 1] ?? '')) to -= 1;
    return word.slice(from, to);
  });
}
