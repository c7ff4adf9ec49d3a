/** Cyrillic and Greek letters that look like Latin ones, each before the one it looks like. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  'аa еe оo рp сc уy хx іi ѕs јj ԁd һh ӏl ոn οo νv αa ιi κk ρp τt υu'
    .split(' ')
    .map((pair) => [pair.slice(0, 1), pair.slice(1)]),
);
const LOOKALIKE = new RegExp(`[${[...LOOKALIKES.keys()].join('')}]`, 'gu');

/**
 * A text as a person would read it, for looking things up in it and for nothing else: full-width and styled letters
 * plain, invisible characters gone, look-alike letters Latin, lower case, one blank between words. Lines stay lines.
 */
export function plainText(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(LOOKALIKE, (letter) => LOOKALIKES.get(letter) ?? letter)
    .replace(/[’‘`´]/gu, "'")
    .replace(/[“”]/gu, '"')
    .replace(/[^\S\n]+/gu, ' ')
    .replace(/ ?\n[ \n]*/gu, '\n');
}
