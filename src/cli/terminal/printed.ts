/**
 * Text of strangers (a model's, a tool's, a goal's) on a person's screen: what steers a terminal, or turns or hides a part
 * of the line, is shown as the code point that it is. Colours are put on afterwards.
 */
export function printed(text: string): string {
  return text.replaceAll(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

/** A value of strangers, on one line. */
export const printedJson = (value: unknown): string => printed(JSON.stringify(value) ?? 'undefined');
