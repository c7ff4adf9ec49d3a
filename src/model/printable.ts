/** Control characters, line separators and the marks that turn text around: what a log line must not hold. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

const LENGTH_MAX = 300;

/** A stranger's text as it may appear in a message: on one line, well formed, and no longer than anybody reads. */
export function printable(text: string): string {
  return clip(text, LENGTH_MAX).replace(UNPRINTABLE, escaped);
}

const clip = (text: string, lengthMax: number): string =>
  (text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text).toWellFormed();

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Whoever is told why something failed is told in the same words, on the same lines. */
const escapedUnlessLayout = (char: string): string => ('\t\n\r'.includes(char) ? char : escaped(char));

/** What goes into the journal of a failure: room for a stack of causes, none for a page of markup. */
const REASON_LENGTH_MAX = 4_096;

/** Why a stranger's code failed, as far as it can be told: what is thrown need not be an error, nor have words. */
export function reasonOf(thrown: unknown): string {
  try {
    const words: unknown = thrown instanceof Error ? thrown.message : thrown;
    return clip(String(words), REASON_LENGTH_MAX).replace(UNPRINTABLE, escapedUnlessLayout);
  } catch {
    return 'it failed with something that cannot be shown';
  }
}
