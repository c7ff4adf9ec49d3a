import { isJsonList, isJsonObject, type Json } from '../json/json.ts';
import { pointerToken } from '../json/pointer.ts';

/** A text of an untrusted source that can carry an instruction: more than two words, a link, or markup. */
const isProse = (text: string): boolean => /\S\s+\S+\s+\S/u.test(text) || LINK.test(text) || MARKUP.test(text);

/** An address with a scheme, or a host that begins with `www.` or has a path. */
const LINK = /:\/\/|\bwww\.|(?<![\w-])-*\w[\w-]*\.\p{L}{2,}\/|^(?:data|javascript|mailto|tel):/iu;

/** A character without a form of its own: it can hide a message or reverse the order of the text. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** A link or an image of Markdown, a tag, an address without a scheme, or an invisible character. */
const MARKUP = /\]\s*[([]|<|\/\/|\p{Default_Ignorable_Code_Point}/u;

/** JSON Pointers to the texts of a value that outsiders may have written, and to the values under such keys. */
export function outsiderTexts(value: Json, at: string): readonly string[] {
  if (typeof value === 'string') return isProse(value) ? [at] : [];
  if (isJsonList(value)) return value.flatMap((child, index) => outsiderTexts(child, `${at}/${index}`));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, child]) =>
    isProse(key) ? [at + pointerToken(key)] : outsiderTexts(child, at + pointerToken(key)),
  );
}

/**
 * Quotes a text of an outsider on one line. Blanks separate the signs of links and HTML tags, so that no front end loads an
 * image or follows a link that an outsider wrote. Curled quotes keep the text from ending its own quotation.
 */
export function quoteOutsider(text: string): string {
  let isOpen = false;
  const curled = text
    .replaceAll(INVISIBLE, '')
    .replaceAll("'", '’')
    .replaceAll('"', () => {
      isOpen = !isOpen;
      return isOpen ? '“' : '”';
    });
  return `'${curled
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .replaceAll(/\](?=[([])/gu, '] ')
    .replaceAll(/<(?=[/!?\p{L}])/gu, '< ')
    .replaceAll('//', '/ /')
    .replaceAll(/\b(www)\./giu, '$1 .')}'`;
}
