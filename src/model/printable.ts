/** Control characters, line separators and the marks that turn text around: what a log line must not hold. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

const LENGTH_MAX = 300;

/** A stranger's text as it may appear in a message: on one line, well formed, and no longer than anybody reads. */
export function printable(text: string): string {
  const clipped = text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}…` : text;
  return clipped
    .toWellFormed()
    .replace(UNPRINTABLE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
