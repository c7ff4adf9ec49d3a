/**
 * How many tokens a text is, estimated from above, without the tables of any one tokenizer: those weigh megabytes, differ from model to
 * model, and are not published for all. What tokenizers have in common is used instead. They cut at the borders of words,
 * before capitals inside them, and around signs, and they know the syllables of ordinary words but not what has none: so
 * three letters of a word count as a token, and each letter of what cannot be pronounced. Digits and signs count one
 * each. What is not ASCII counts by the character where tokenizers know its script, and otherwise by its bytes, which is
 * all that is left to a tokenizer that does not. Ordinary text comes out at about twice its tokens. It is no proven bound:
 * it was fitted to samples of two encodings of one provider, and words that somebody made up come out too low.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  for (const [run] of text.matchAll(RUNS)) tokens += costOf(run);
  return tokens;
}

/** Bytes in disguise, or letters of a word with the blank before it, or blanks, or line breaks, or any one character. */
const RUNS = /[A-Za-z0-9+/]{24,}| ?[A-Z]?[a-z]+| ?[A-Z]+|[ \t]+|[\n\r]+|[\s\S]/g;

const WORDS = /[A-Z]?[a-z]+|[A-Z]+|[\s\S]/g;

const LETTERS_PER_TOKEN = 3;
const BLANKS_PER_TOKEN = 16;
const BREAKS_PER_TOKEN = 2;
const TOKENS_PER_DISGUISED = 0.85;

/** More consonants in a row than this, and it is no word of any language that is written with these letters. */
const UNSPEAKABLE = /[^aeiouyAEIOUY]{5}/;

function costOf(run: string): number {
  const code = run.charCodeAt(0);
  if (code >= 0x80) return costOfForeign(code);
  if (code === 10 || code === 13) return Math.ceil(run.length / BREAKS_PER_TOKEN);
  const word = run.trim();
  if (word === '') return Math.ceil(run.length / BLANKS_PER_TOKEN);
  return run.length < 24 ? costOfWord(word) : costOfLong(word);
}

function costOfWord(word: string): number {
  return word.length === 1 || UNSPEAKABLE.test(word) ? word.length : Math.ceil(word.length / LETTERS_PER_TOKEN);
}

/** Base64 and its like: small and capital letters and digits in one long row, of which next to nothing is a word. */
function costOfLong(run: string): number {
  if (/\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run)) return Math.ceil(run.length * TOKENS_PER_DISGUISED);
  let tokens = 0;
  for (const [word] of run.matchAll(WORDS)) tokens += costOfWord(word);
  return tokens;
}

/** Latin with marks, Greek, Cyrillic, Hebrew and Arabic: letters of scripts that every tokenizer has seen much of. */
const isKnownScript = (code: number): boolean =>
  (code >= 0xc0 && code <= 0x17f) || (code >= 0x370 && code <= 0x4ff) || (code >= 0x5d0 && code <= 0x6ff);

/** Half of a pair of surrogates is two of the four bytes of its character. */
function costOfForeign(code: number): number {
  if (isKnownScript(code)) return 1;
  return code < 0x8_00 || (code >= 0xd8_00 && code <= 0xdf_ff) ? 2 : 3;
}
