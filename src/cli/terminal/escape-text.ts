/**
 * Escapes control, bidirectional and invisible characters, such as `\u{1b}` for ESC. Text from models, tools and goals
 * is untrusted and must not control the terminal or hide part of a line. Apply colors after escaping.
 */
export function escapeText(text: string): string {
  return text.replaceAll(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters on purpose
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

/** Escapes an untrusted value as one line of JSON. */
export const escapeJson = (value: unknown): string => escapeText(JSON.stringify(value) ?? 'undefined');
