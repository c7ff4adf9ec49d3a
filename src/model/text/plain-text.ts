/** Cyrillic and Greek letters, each followed by the Latin letter it resembles. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  'аa еe оo рp сc уy хx іi ѕs јj ԁd һh ӏl ոn οo νv αa ιi κk ρp τt υu'
    .split(' ')
    .map((pair) => [pair.slice(0, 1), pair.slice(1)]),
);
const LOOKALIKE = new RegExp(`[${[...LOOKALIKES.keys()].join('')}]`, 'gu');

/**
 * Normalizes a text for matching only: full-width and styled letters become plain, invisible characters are removed,
 * look-alike letters become Latin, and the result is lower case with one blank between words. Line breaks are kept.
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
