/**
 * How many tokens a text is at most, without the tables of any one tokenizer: those weigh megabytes, differ from model to
 * model, and are not published for all. Tokenizers cut at the borders of words, before capitals inside them, and around
 * every sign; a word of ordinary language is one or two tokens, a string of random letters one for about two letters.
 * So two letters are counted as a token, digits, signs and line breaks one each, and what is not ASCII by its bytes, which
 * is all that a tokenizer without a word for it could do. Ordinary prose comes out at about twice its tokens.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  let letters = 0;
  let blank = false;
  let upper = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const isUpper = code >= 65 && code <= 90;
    if (isUpper || (code >= 97 && code <= 122)) {
      // A capital after a small letter begins a word of its own.
      if (isUpper && !upper) letters = 0;
      if (letters % LETTERS_PER_TOKEN === 0) tokens += 1;
      letters += 1;
      upper = isUpper;
      blank = false;
      continue;
    }
    letters = 0;
    upper = false;
    const isBlank = code === 32;
    // A blank belongs to the word after it, and many blanks to each other.
    if (!isBlank) tokens += bytesOf(code);
    else if (blank || !isWordAt(text, at + 1)) tokens += blank ? 0 : 1;
    blank = isBlank;
  }
  return tokens;
}

const LETTERS_PER_TOKEN = 2;

/** In UTF-8. Each half of a pair of surrogates is two of the four bytes of its character. */
function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x8_00 || (code >= 0xd8_00 && code <= 0xdf_ff)) return 2;
  return 3;
}

function isWordAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}
