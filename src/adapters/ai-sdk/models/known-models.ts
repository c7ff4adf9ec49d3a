import type { Models } from '../../../ports/model/language-model.ts';
import { connect } from './connect.ts';
import { isPlain, priceOf } from './prices.ts';

/** Models of the AI SDK, connected without loading the SDK itself. */
export const knownModels: Models = { connect, priceOf, countTokens, isPlain };

/**
 * Estimates the number of tokens in a text, erring on the high side, without a tokenizer's tables: those take
 * megabytes, differ between models and are not all published. The rules follow what tokenizers have in common. They
 * split at word borders, before capitals and around signs, and know the syllables of ordinary words. So three letters
 * of a word count as one token, and each letter of an unpronounceable run as one. Digits and signs count one each.
 * Other characters count one in scripts that tokenizers know, and otherwise by their bytes, which is how a tokenizer
 * falls back. Ordinary text is estimated at about twice its tokens. This is not a proven bound: the rules were fitted
 * to samples of two encodings of one provider, and invented words are underestimated.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  for (const [run] of text.matchAll(RUNS)) tokens += costOf(run);
  return tokens;
}

/** A long base64-like run, a word with the space before it, blanks, line breaks, or any single character. */
const RUNS = /[A-Za-z0-9+/]{24,}| ?[A-Z]?[a-z]+| ?[A-Z]+|[ \t]+|[\n\r]+|[\s\S]/g;

const WORDS = /[A-Z]?[a-z]+|[A-Z]+|[\s\S]/g;

const LETTERS_PER_TOKEN = 3;
const BLANKS_PER_TOKEN = 16;
const BREAKS_PER_TOKEN = 2;
const TOKENS_PER_DISGUISED = 0.85;

/** Five consonants in a row: not a word of any language written in these letters. */
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

/** A long run of letters and digits. With lower case, upper case and digits it is taken for base64, without words. */
function costOfLong(run: string): number {
  if (/\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run)) return Math.ceil(run.length * TOKENS_PER_DISGUISED);
  let tokens = 0;
  for (const [word] of run.matchAll(WORDS)) tokens += costOfWord(word);
  return tokens;
}

/** Accented Latin, Greek, Cyrillic, Hebrew and Arabic: scripts that are common in every tokenizer's training data. */
const isKnownScript = (code: number): boolean =>
  (code >= 0xc0 && code <= 0x17f) || (code >= 0x370 && code <= 0x4ff) || (code >= 0x5d0 && code <= 0x6ff);

/** Half of a surrogate pair stands for two of its character's four bytes. */
function costOfForeign(code: number): number {
  if (isKnownScript(code)) return 1;
  return code < 0x8_00 || (code >= 0xd8_00 && code <= 0xdf_ff) ? 2 : 3;
}
