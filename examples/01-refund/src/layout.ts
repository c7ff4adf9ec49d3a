import { stripVTControlCharacters, styleText } from 'node:util';

export const bold = (text: string): string => styleText('bold', text);
export const dim = (text: string): string => styleText('dim', text);
export const good = (text: string): string => styleText('green', text);
export const bad = (text: string): string => styleText('red', text);

/** The width of the labels in front of each line. */
export const MARGIN: string = ' '.repeat(11);
export const indented = (text: string): string => dim(`${MARGIN}${text}`);

const COLUMNS = 100;

/** Breaks a line at its spaces. The next lines are indented like the text of the first one. */
export function wrapped(line: string): string {
  const [first = '', ...words] = line.split(/(?<=\S) /u);
  let text = first;
  let column = stripVTControlCharacters(first).length;
  for (const word of words) {
    const { length } = stripVTControlCharacters(word);
    const breaks = column + 1 + length > COLUMNS;
    text += breaks ? `\n${MARGIN}${word.trimStart()}` : ` ${word}`;
    column = breaks ? MARGIN.length + length : column + 1 + length;
  }
  return text;
}

/** A value as one line of JSON that can be broken at its spaces. */
export const json = (value: unknown): string => JSON.stringify(value, null, 1).replaceAll(/\n\s*/gu, ' ');
