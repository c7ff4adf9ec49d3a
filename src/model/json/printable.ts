/** Characters that a log line must not hold: control characters, line separators and bidirectional marks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

const LENGTH_MAX = 300;

/** Makes untrusted text safe for a message: one line, well formed, with a maximum length. */
export function printable(text: string): string {
  return clip(text, LENGTH_MAX).replace(UNPRINTABLE, escaped);
}

const clip = (text: string, lengthMax: number): string =>
  (text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text).toWellFormed();

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Keeps tabs and line breaks, so that a failure reason keeps its lines. */
const escapedUnlessLayout = (char: string): string => ('\t\n\r'.includes(char) ? char : escaped(char));

/** The maximum length of a recorded failure reason: enough for a chain of causes, not for a page of markup. */
const REASON_LENGTH_MAX = 4_096;

/** Returns the message of a thrown value, which may be no Error and may not convert to text. */
export function reasonOf(thrown: unknown): string {
  try {
    const words: unknown = thrown instanceof Error ? thrown.message : thrown;
    return clip(String(words), REASON_LENGTH_MAX).replace(UNPRINTABLE, escapedUnlessLayout);
  } catch {
    return 'it failed with something that cannot be shown';
  }
}
