import { guardInput } from '../fault/guard-input.ts';
import { isJsonList, isJsonObject, type Json } from '../json/json.ts';

/**
 * Characters that a reader cannot see or that change the order of the others: control and format characters, unusual
 * blanks, and everything that Unicode lets a font ignore. Tabs, line feeds and plain blanks are visible.
 */
const HIDDEN = /(?![\t\n ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]/gu;

/** A letter or digit of another block that looks like a plain one, such as a full-width or a mathematical letter. */
const STYLED = /(?![A-Za-z0-9])[\p{L}\p{Nd}]/gu;
const PLAIN = /^[A-Za-z0-9]$/;

/** One identifier: a name, an address, a path segment. */
const IDENTIFIER = /[\p{L}\p{M}\p{N}_.@-]+/gu;

/** The alphabets with look-alikes, the most usual one first. */
const ALPHABETS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u] as const;

/** Letters that occur beside any alphabet: those without a script, and those of East Asian scripts. */
const NEUTRAL =
  /[\P{L}\p{Script=Common}\p{Script=Inherited}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;

const escapeCharacter = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** Escapes the letters of an identifier that belong to another alphabet than its first one. */
function escapeMixed(identifier: string): string {
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
    .replace(STYLED, (letter) => (PLAIN.test(letter.normalize('NFKC')) ? escapeCharacter(letter) : letter))
    .replace(HIDDEN, escapeCharacter);
});

/** Escapes every text and every key of a value. */
export const visibleJson: (value: Json) => Json = guardInput('visibleJson', (value: Json): Json => {
  if (typeof value === 'string') return visibleText(value);
  if (isJsonList(value)) return value.map(visibleJson);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [visibleText(key), visibleJson(child)]));
});
