import { readings } from './amounts.ts';
import { type Day, readDay, readMonth, readTime } from './dates.ts';
import { IRREGULAR } from './words/lexicon.ts';
import { CURRENCIES, MINOR_UNITS, NUMBER_WORDS, UNITS } from './words/measures.ts';

/** A number of a sentence with the unit or currency that stands next to it. */
export interface StatedNumber {
  readonly type: 'number';
  /** The amounts it can mean, times `SCALE`; more than one where the locale is open. */
  readonly amounts: readonly bigint[];
  readonly currency: string | null;
  /** Set for "250 cents": the amount counts hundredths. */
  readonly minor: boolean;
  /** The unit word, for example `day` or `gb`. */
  readonly unit: string | null;
  readonly isWord: boolean;
}

/** A value that a sentence states. */
export type Stated =
  | StatedNumber
  | { readonly type: 'day'; readonly day: Day | 'ambiguous' }
  | { readonly type: 'time'; readonly minutes: number }
  | { readonly type: 'id'; readonly id: string }
  | { readonly type: 'link'; readonly link: string };

export type Token =
  | { readonly kind: 'word'; readonly text: string; readonly stem: string; readonly capital: boolean }
  | { readonly kind: 'value'; readonly text: string; readonly value: Stated }
  | { readonly kind: 'quote'; readonly text: string }
  | { readonly kind: 'mark'; readonly text: string };

const VOWEL = /[aeiouy]/u;

/** Reduces a word to a stem that its forms share: renews, renewed and renewal become `renew`. */
export function stem(word: string): string {
  const lower = word
    .toLowerCase()
    .replace(/[’']s$/u, '')
    .replace(/[’']/gu, "'");
  const irregular = IRREGULAR.get(lower) ?? IRREGULAR.get(lower.replace(/s$/u, ''));
  if (irregular !== undefined) return irregular;
  let form = lower;
  for (const [ending, replacement] of ENDINGS) {
    if (!form.endsWith(ending) || form.length - ending.length < 3) continue;
    const base = form.slice(0, form.length - ending.length);
    if (!VOWEL.test(base)) continue;
    form = base + replacement;
    break;
  }
  form = form
    .replace(/([bdgklmnprt])\1$/u, '$1')
    .replace(/e$/u, '')
    .replace(/(.{3})iz(?=$|er$|or$)/u, '$1is');
  if (form.length < 2) return lower;
  return form.length < 4 ? form : form.replace(/y$/u, 'i');
}

/** Endings and their replacements; `ies>y` turns bodies into body. */
const ENDINGS: readonly (readonly [string, string])[] =
  'ations ation ings ing iries>iri ies>y ments ment ives>ive sses>ss ions ion ed ers>er ees>ee als ly es s'
    .split(' ')
    .map((row) => row.split('>'))
    .map(([ending = '', replacement = '']) => [ending, replacement]);

const LINK = /^(?:https?:\/\/[^\s"”)<>]+|www\.[^\s"”)<>]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)/iu;
const QUOTE = /^(?:"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«\s?([^»]+?)\s?»)/u;
/** An identifier: letters and digits joined, with `_`, `-`, `.`, `/`, `#` or `:` inside. */
const ID = /^(?:#\s?)?(?=[\w./:#-]*\d)(?=[\w./:#-]*[A-Za-z_-])[A-Za-z0-9](?:[\w./:#-]*\w)?|^#\s?\d+/u;
const NUMBER =
  /^[+-]?\d{1,3}(?:[,.'’\u00a0\u202f]\d{3})+(?:[.,]\d+)?(?!\d)|^[+-]?\d{1,3}(?: \d{3})+,\d+|^[+-]?\d+(?:[.,]\d+)?/u;
const CURRENCY_SIGN =
  /^(?:(?:US|CA|AU|NZ|[ACSR])?\$|[€£¥₹]|(?:EUR|USD|GBP|CHF|JPY|CAD|AUD|NZD|SEK|NOK|DKK|PLN|INR|SGD|CZK)\b)\s?(?=[+-]?\d)/u;
const WORD =
  /^(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-[a-z]+|^[\p{L}\p{M}](?:[\p{L}\p{M}\d]|[’'](?=[\p{L}\d]))*/iu;

/** Splits a sentence into words, values, quotations and marks. Identifiers are found before numbers. */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let rest = text.normalize('NFC').trimStart();
  while (rest !== '') {
    const [token, length] = nextToken(rest, tokens.at(-1)?.text ?? '');
    tokens.push(token);
    rest = rest.slice(length).trimStart();
  }
  return joinSpans(joinNumberWords(joinDays(tokens)));
}

function nextToken(rest: string, before: string): readonly [Token, number] {
  const quote = QUOTE.exec(rest);
  if (quote !== null)
    return [{ kind: 'quote', text: (quote[1] ?? quote[2] ?? quote[3] ?? quote[4] ?? '').trim() }, quote[0].length];
  const link = LINK.exec(rest)?.[0].replace(/(?<![.,;:!?])[.,;:!?]+$/u, '');
  if (link !== undefined) return [value(link, { type: 'link', link }), link.length];
  const date = readDay(rest) ?? readMonth(rest, before);
  if (date !== null) return [value(rest.slice(0, date.length), { type: 'day', day: date.day }), date.length];
  const money = CURRENCY_SIGN.exec(rest);
  if (money !== null) {
    const sign = money[0].trim().toLowerCase();
    const found = readNumber(rest.slice(money[0].length), CURRENCIES.get(sign) ?? null);
    return [value(rest.slice(0, money[0].length + found.length), found.value), money[0].length + found.length];
  }
  if (/^[#\dA-Za-z]/u.test(rest)) {
    const time = /^\d/u.test(rest) ? readTime(rest) : null;
    if (time !== null) return [value(rest.slice(0, time.length), { type: 'time', minutes: time.minutes }), time.length];
    const id = ID.exec(rest)?.[0];
    if (id !== undefined && !isNumberWithUnit(id)) return [value(id, { type: 'id', id }), id.length];
  }
  const ordinal = /^\d{1,3}(?:st|nd|rd|th)\b/iu.exec(rest)?.[0];
  if (ordinal !== undefined) return [wordToken(ordinal), ordinal.length];
  if (/^[+-]?\d/u.test(rest)) {
    const found = readNumber(rest, null);
    return [value(rest.slice(0, found.length), found.value), found.length];
  }
  const genitive = /^[’']s\b/u.exec(rest)?.[0];
  if (genitive !== undefined) return [{ kind: 'mark', text: genitive }, genitive.length];
  const word = WORD.exec(rest)?.[0];
  if (word !== undefined) return [wordToken(word), word.length];
  return [{ kind: 'mark', text: [...rest][0] ?? rest }, [...rest][0]?.length ?? 1];
}

const value = (text: string, stated: Stated): Token => ({ kind: 'value', text: text.trim(), value: stated });

const wordToken = (word: string): Token => {
  const text = word.toLowerCase().replaceAll('’', "'");
  return { kind: 'word', text, stem: stem(text), capital: word !== word.toLowerCase() };
};

/** `250MB` and `3rd` are a number with a unit and an ordinal, not identifiers. */
function isNumberWithUnit(id: string): boolean {
  const match = /^[+-]?\d+(?:[.,]\d+)*([A-Za-z%]+)$/u.exec(id) ?? /^\d[.,\d]*(-)\d[.,\d]*$/u.exec(id);
  if (match === null) return /^\d+-[a-z]+$/u.test(id);
  const unit = (match[1] ?? '').toLowerCase();
  return unit === '-' || unitOf(unit) !== null || CURRENCIES.has(unit) || /^(?:st|nd|rd|th|p|k|x)$/u.test(unit);
}

/** The unit that a word names, singular; null if it names none. */
export function unitOf(word: string): string | null {
  const lower = word.toLowerCase();
  if (UNITS.has(lower)) return lower;
  const singular = lower.replace(/s$/u, '');
  return singular.length > 2 && UNITS.has(singular) ? singular : null;
}

/** Reads a number and the currency or unit behind it. */
function readNumber(
  rest: string,
  currencyBefore: string | null,
): { readonly value: StatedNumber; readonly length: number } {
  const digits = NUMBER.exec(rest)?.[0] ?? rest.slice(0, 1);
  const after = rest.slice(digits.length);
  const match = /^[\s\u00a0-]{0,2}(%|€|£|\$|°[CF]|[A-Za-z]+[²³23]?)/u.exec(after);
  const word = (match?.[1] ?? '').toLowerCase();
  const base = { type: 'number', amounts: readings(digits), isWord: false } as const;
  const length = digits.length + (match?.[0].length ?? 0);
  const currency = currencyBefore ?? CURRENCIES.get(word) ?? null;
  if (CURRENCIES.has(word)) return { value: { ...base, currency, minor: false, unit: null }, length };
  if (currencyBefore === null && (MINOR_UNITS.has(word) || word === 'p'))
    return {
      value: { ...base, currency: word === 'p' || word.startsWith('pen') ? 'GBP' : null, minor: true, unit: null },
      length,
    };
  const unit = currencyBefore === null ? unitOf(word) : null;
  if (unit !== null) return { value: { ...base, currency: null, minor: false, unit }, length };
  return { value: { ...base, currency, minor: false, unit: null }, length: digits.length };
}

/** Turns number words into numbers: "three days" becomes the number 3 with the unit day, "a week before" one week. */
function joinNumberWords(tokens: readonly Token[]): readonly Token[] {
  const joined: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as Token;
    const next = tokens[at + 1];
    const unit = next?.kind === 'word' ? unitOf(next.text) : null;
    const isOneOf = token.text === 'one' && next?.text === 'of';
    const number = isOneOf ? 1 : token.kind === 'word' ? numberWord(token.text, unit, tokens[at + 2]) : null;
    if (number === null) {
      joined.push(token);
      continue;
    }
    const amounts = readings(String(number));
    const stated: StatedNumber = { type: 'number', amounts, currency: null, minor: false, unit, isWord: true };
    joined.push({ kind: 'value', text: token.text, value: stated });
    if (unit !== null) at += 1;
  }
  return joined;
}

const SHIFTS = /^(?:before|after|later|earlier|late|early|ahead|longer|shorter)$/u;

function numberWord(text: string, unit: string | null, after: Token | undefined): number | null {
  if (text === 'a' || text === 'an') return unit !== null && SHIFTS.test(after?.text ?? '') ? 1 : null;
  const number = text.split('-').reduce((sum, part) => sum + (NUMBER_WORDS.get(part) ?? Number.NaN), 0);
  return Number.isNaN(number) || (number === 1 && unit === null) ? null : number;
}

/** Joins "1 hour and 48 minutes" to one number in the smaller unit. */
function joinSpans(tokens: readonly Token[]): readonly Token[] {
  const joined: Token[] = [];
  for (const token of tokens) {
    const isLink = (one: Token | undefined): boolean => one?.kind === 'word' && one.text === 'and';
    const before = isLink(joined.at(-1)) ? joined.at(-2) : joined.at(-1);
    const sum = spanSum(before, token);
    if (sum === null) joined.push(token);
    else {
      if (isLink(joined.at(-1))) joined.pop();
      joined[joined.length - 1] = sum;
    }
  }
  return joined;
}

function spanSum(a: Token | undefined, b: Token): Token | null {
  if (a?.kind !== 'value' || b.kind !== 'value' || a.value.type !== 'number' || b.value.type !== 'number') return null;
  const [unitA, unitB] = [UNITS.get(a.value.unit ?? ''), UNITS.get(b.value.unit ?? '')];
  const [amountA, amountB] = [a.value.amounts[0], b.value.amounts[0]];
  if (
    unitA?.[0] !== 'time' ||
    unitB?.[0] !== 'time' ||
    unitA[1] <= unitB[1] ||
    amountA === undefined ||
    amountB === undefined
  )
    return null;
  const amount = amountA * BigInt(unitA[1] / unitB[1]) + amountB;
  return { kind: 'value', text: `${a.text} ${b.text}`, value: { ...b.value, amounts: [amount], isWord: false } };
}

/** Completes the first day of "13 to 24 July 2026" with the month and year of the second. */
function joinDays(tokens: readonly Token[]): readonly Token[] {
  return tokens.map((token, at) => {
    const [link, end] = [tokens[at + 1], tokens[at + 2]];
    const isLink =
      (link?.kind === 'word' && /^(?:to|and|or|until)$/u.test(link.text)) ||
      (link?.kind === 'mark' && /[–-]/u.test(link.text));
    if (
      token.kind !== 'value' ||
      token.value.type !== 'number' ||
      !isLink ||
      end?.kind !== 'value' ||
      end.value.type !== 'day'
    )
      return token;
    const [amount] = token.value.amounts;
    const { day } = end.value;
    if (!/^\d{1,2}$/u.test(token.text) || amount === undefined || day === 'ambiguous' || day.day === null) return token;
    return { kind: 'value', text: token.text, value: { type: 'day', day: { ...day, day: Number(token.text) } } };
  });
}
