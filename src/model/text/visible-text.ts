import { guardInput } from '../fault/guard-input.ts';
import { isJsonList, isJsonObject, type Json } from '../json/json.ts';

/**
 * Characters that a reader cannot see, that change the order of the others, or that cross them out: control and format
 * characters, unusual blanks, overlays, and everything that Unicode lets a font ignore. Tabs, line feeds and plain blanks
 * are visible.
 */
const HIDDEN =
  /(?![\t\n ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{16fe4}\u{1d159}]|[\u0334-\u0338]|[\u20d2-\u20e6]/gu;

/** A character outside ASCII. It looks like a plain one if its compatibility form is plain: full-width, mathematical, raised. */
const STYLED = /[^\p{ASCII}\p{M}]/gu;
const PLAIN = /^[!-~]+$/;
/** Marks of ordinary texts that a reader does not take for the letters or points they stand for. */
const USUAL_MARKS = '…™';

/** Signs that look like a slash, a colon, a point, an exclamation mark, a group of digits or a Latin letter. */
const LOOK_ALIKES = /[\u2044\u2215\u2571\u29f8\u2236\ua789\u02d0\u01c3\u066b\u066c\u0251\u0261\u0269\u0280]/gu;

/** One identifier: a name, an address, a path segment. */
const IDENTIFIER = /[\p{L}\p{M}\p{N}_.@-]+/gu;

/** Digits of another script, in an identifier that has Latin letters or plain digits. */
const OTHER_DIGIT = /(?![0-9])\p{Nd}/gu;
const PLAIN_LETTERS = /[0-9A-Za-z]/;

/** A word of another alphabet that consists of letters with a Latin twin only. */
const TWINS =
  /^(?:[асеорхуѕіјһԁԛԝАВСЕНІЈКМОРЅТХҮԌ]{3,}|[ονρυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]{3,}|[աօսոհյցԁքզՕՏՍՈ]{3,}|[\p{Script=Cherokee}\p{Script=Lisu}]+)$/u;
const LETTERS = /\p{L}+/gu;

/** The alphabets with look-alikes, the most usual one first. */
const ALPHABETS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u] as const;

/** Letters that occur beside any alphabet: those without a script, and those of East Asian scripts. */
const NEUTRAL =
  /[\P{L}\p{Script=Common}\p{Script=Inherited}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;

const escapeCharacter = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

const escapeAll = (text: string): string => [...text].map(escapeCharacter).join('');

/** Escapes the letters of an identifier that belong to another alphabet than its first one, and the digits of another script. */
function escapeMixed(text: string): string {
  const words = text.replace(LETTERS, (word) => (TWINS.test(word) ? escapeAll(word) : word));
  const identifier = PLAIN_LETTERS.test(words) ? words.replace(OTHER_DIGIT, escapeCharacter) : words;
  const alphabet = ALPHABETS.find((letters) => letters.test(identifier));
  if (alphabet === undefined) return identifier;
  return identifier.replace(/\p{L}/gu, (letter) =>
    alphabet.test(letter) || NEUTRAL.test(letter) ? letter : escapeCharacter(letter),
  );
}

/**
 * Escapes characters that a reader cannot see or would mistake for others, such as `\u{200b}`. A person who decides
 * about a text has to see all of it: `p\u{430}y` is another name than `pay`.
 */
export const visibleText: (text: string) => string = guardInput('visibleText', (text: string): string => {
  return text
    .replace(IDENTIFIER, escapeMixed)
    .replace(STYLED, (sign) =>
      PLAIN.test(sign.normalize('NFKC')) && !USUAL_MARKS.includes(sign) ? escapeCharacter(sign) : sign,
    )
    .replace(LOOK_ALIKES, escapeCharacter)
    .replace(HIDDEN, escapeCharacter);
});

/** Escapes every text and every key of a value. */
export const visibleJson: (value: Json) => Json = guardInput('visibleJson', (value: Json): Json => {
  if (typeof value === 'string') return visibleText(value);
  if (isJsonList(value)) return value.map(visibleJson);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [visibleText(key), visibleJson(child)]));
});
